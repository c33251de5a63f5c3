import type { Command } from "commander"
import { idOf } from "../scalars/scalars.js"
import { scopesColumn } from "../scalars/scope.js"
import { type Id, instantOf, statement } from "../statement.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print, printAll } from "./print.js"
import { recorded } from "./recorded.js"
import { withDatabase } from "./with-database.js"

const tokensOf = statement(
  "tokens_of_user",
  `select a.id, p.client_id, a.name, a.created_at, a.last_used_at, ${scopesColumn("a")} from access_tokens a join applications p on p.id = a.application_id
   where a.user_id = $1::bigint and a.revoked_at is null and a.session_id is null
   and (a.expires_at is null or a.expires_at > now()) order by a.id`,
  ([id, clientId, name, createdAt, lastUsedAt, scopes]) => ({
    id: Number(id),
    client_id: clientId,
    name,
    scopes,
    created_at: instantOf(createdAt as string),
    last_used_at: lastUsedAt == null ? null : instantOf(lastUsedAt),
  }),
)
const endToken = statement(
  "end_token",
  "update access_tokens set revoked_at = now() where id = $1::bigint and revoked_at is null returning id",
  ([id]) => id as Id,
)

/** `token list`, `token revoke`: the access that a user has given, and its end. */
export function addTokenManage(tokens: Command): void {
  tokens
    .command("list")
    .summary("list a user's access tokens")
    .description("Lists the tokens that give access to a user's account, without their values, which are not stored.")
    .requiredOption("--user <id|email>", "the user")
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem token list --user ann@example.org"))
    .action(({ user, json = false }: { user: string; json?: boolean }) =>
      withDatabase(async ({ database }) =>
        printAll(await database.run(tokensOf, [(await userOf(database, user)).id]), json),
      ),
    )
  tokens
    .command("revoke")
    .summary("revoke an access token")
    .description("Revokes an access token. Within a second no node accepts it any more, and its sockets are closed.")
    .requiredOption("--id <id>", "its identifier, from: token list")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem token revoke --id 17"))
    .action(({ id, json = false }: { id: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const ended = await recorded(
          database,
          { act: "token revoke", subject: (of) => `token ${of}` },
          async (inside) => {
            const [revoked] = await inside.run(endToken, [idOf(id)])
            if (revoked === undefined)
              throw new Error(`--id: there is no token ${id} that is still valid; see: token list`)
            return revoked
          },
        )
        print({ id: Number(ended), revoked: true }, json)
      }),
    )
}

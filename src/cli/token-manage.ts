import type { Command } from "commander"
import type { Transacted } from "../context.js"
import { idOf } from "../scalars/scalars.js"
import type { Id } from "../statement.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print, printAll } from "./print.js"
import { recorded } from "./recorded.js"
import { withDatabase } from "./with-database.js"

async function tokensOf({ prisma }: Pick<Transacted, "prisma">, userId: Id) {
  const isGood = { OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] }
  const tokens = await prisma.accessToken.findMany({
    where: { userId: BigInt(userId), revokedAt: null, sessionId: null, ...isGood },
    include: { application: { select: { clientId: true } } },
    orderBy: { id: "asc" },
  })
  return tokens.map(({ id, application, name, scopes, createdAt, lastUsedAt }) => ({
    id: Number(id),
    client_id: application.clientId,
    name,
    scopes: scopes.join(" "),
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  }))
}

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
      withDatabase(async ({ database }) => printAll(await tokensOf(database, (await userOf(database, user)).id), json)),
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
            const where = { id: BigInt(idOf(id)), revokedAt: null }
            const { count } = await inside.prisma.accessToken.updateMany({ where, data: { revokedAt: new Date() } })
            if (count === 0) throw new Error(`--id: there is no token ${id} that is still valid; see: token list`)
            return where.id
          },
        )
        print({ id: Number(ended), revoked: true }, json)
      }),
    )
}

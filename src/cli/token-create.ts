import type { Command } from "commander"
import { createAccessToken } from "../oauth/access-token.js"
import { idOf } from "../scalars.js"
import { type Id, statement } from "../statement.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; clientId: string; json?: boolean }

const userNamed = statement(
  "user_named",
  "select id from users where id = $1::bigint or email = lower($2)",
  ([id]) => id as Id,
)

/** `token create`: makes an access token and shows it, once. */
export const addTokenCreate = (tokens: Command): Command =>
  tokens
    .command("create")
    .summary("make an access token")
    .description("Makes an access token for a user and an application. It is shown now and never again.")
    .requiredOption("--user <id|email>", "whose token it is")
    .requiredOption("--client-id <id>", "the application's client ID")
    .option("--json", "print one JSON object")
    .action(({ user, clientId, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const [userId] = await database.run(userNamed, [idOf(user), user])
        if (userId === undefined) throw new Error(`--user: there is no user ${user}; make one with: user create`)
        const token = await createAccessToken(database, userId, clientId)
        if (token === undefined)
          throw new Error(`--client-id: there is no application ${clientId}; make one with: app create`)
        print({ access_token: token }, json)
      }),
    )

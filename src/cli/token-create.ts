import type { Command } from "commander"
import { createAccessToken } from "../oauth/access-token.js"
import type { Scope } from "../scalars/scope.js"
import { examples } from "./examples.js"
import { requireEnabled, userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { scopeOption } from "./scope-option.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; clientId: string; scope?: readonly Scope[]; json?: boolean }

/** `token create`: makes an access token and shows it, once. */
export const addTokenCreate = (tokens: Command): Command =>
  tokens
    .command("create")
    .summary("create an access token")
    .description("Creates an access token for a user and an application. It is shown once.")
    .requiredOption("--user <id|email>", "the user")
    .requiredOption("--client-id <id>", "the application's client ID")
    .addOption(scopeOption("what it is good for"))
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples("tandem token create --user ann@example.org --client-id personal --scope read --json"),
    )
    .action(({ user, clientId, scope, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const found = await userOf(database, user)
        await requireEnabled(database, found.id, found.email)
        const subject = `${userInWords(found)}, for application ${clientId}`
        const token = await recorded(database, { act: "token create", subject }, async (inside) => {
          const made = await createAccessToken(inside, found.id, clientId, scope)
          if (made === undefined)
            throw new Error(`--client-id: there is no application ${clientId}; create one with: app create`)
          return made
        })
        print({ access_token: token }, json)
      }),
    )

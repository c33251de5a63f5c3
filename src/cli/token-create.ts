import type { Command } from "commander"
import { PERSONAL_CLIENT_ID } from "../access/writer.js"
import { createAccessToken } from "../oauth/access-token.js"
import { createPersonalToken } from "../resources/application/application.commands.js"
import { Name } from "../scalars/scalars.js"
import type { Scope } from "../scalars/scope.js"
import { examples } from "./examples.js"
import { requireEnabled, userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { scopeOption } from "./scope-option.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; clientId: string; name: string; scope?: readonly Scope[]; json?: boolean }

/** `token create`: makes an access token and shows it, once. */
export const addTokenCreate = (tokens: Command): Command =>
  tokens
    .command("create")
    .summary("create an access token")
    .description(
      `Creates an access token for a user and an application. It is shown once. With the client ID ${PERSONAL_CLIENT_ID} it is one of the user's personal tokens, of which nobody has more than 100.`,
    )
    .requiredOption("--user <id|email>", "the user")
    .requiredOption("--client-id <id>", "the application's client ID")
    .option("--name <name>", "what the user sees a personal token as", "Created by an operator")
    .addOption(scopeOption("what it is good for"))
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples("tandem token create --user ann@example.org --client-id personal --scope read --json"),
    )
    .action(({ user, clientId, name, scope, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const found = await userOf(database, user)
        await requireEnabled(database, found.id, found.email)
        const subject = `${userInWords(found)}, for application ${clientId}`
        const token = await recorded(database, { act: "token create", subject }, async (inside) => {
          if (clientId === PERSONAL_CLIENT_ID) {
            const personal = { name: Name.parseValue(name) as string, scopes: scope }
            return (await createPersonalToken(inside, found.id, personal)).token
          }
          const made = await createAccessToken(inside, found.id, clientId, scope)
          if (made === undefined)
            throw new Error(`--client-id: there is no application ${clientId}; create one with: app create`)
          return made
        })
        print({ access_token: token }, json)
      }),
    )

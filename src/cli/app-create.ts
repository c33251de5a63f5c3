import { type Command, Option } from "commander"
import type { Dialect } from "../context.js"
import { createApplication } from "../oauth/application.js"
import { Name } from "../scalars/scalars.js"
import type { Scope } from "../scalars/scope.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { recorded } from "./recorded.js"
import { scopeOption } from "./scope-option.js"
import { withDatabase } from "./with-database.js"

type Options = {
  name: string
  redirectUri: string[]
  dialect?: Dialect
  scope?: readonly Scope[]
  public?: boolean
  json?: boolean
}

const collect = (uri: string, uris: string[]): string[] => [...uris, uri]

/** `app create`: registers an application and shows its secret, once. (§5) */
export const addAppCreate = (apps: Command): Command =>
  apps
    .command("create")
    .summary("register an application")
    .description(
      "Registers an application that belongs to no user, and counts for none. Its secret is shown once; a public one has none.",
    )
    .requiredOption("--name <name>", "the name that people see when it asks for their consent")
    .option("--redirect-uri <uri>", "where people return to after consent; can be repeated", collect, [])
    .addOption(
      new Option("--dialect <dialect>", "the contract that its requests follow (default: DEFAULT_DIALECT)").choices([
        "spec",
        "wunderlist",
      ]),
    )
    .addOption(scopeOption("the most that it may ask for"))
    .option("--public", "it runs on its users' devices: it has no secret, and needs PKCE")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem app create --name Planner --redirect-uri https://planner.example.org/back"))
    .action(({ name, redirectUri, dialect, scope, public: isPublic = false, json = false }: Options) =>
      withDatabase(async ({ database, config }) => {
        const application = {
          name: Name.parseValue(name) as string,
          redirectUris: redirectUri,
          dialect: dialect ?? config.defaultDialect,
          scopes: scope,
        }
        const { clientId, clientSecret } = await recorded(
          database,
          {
            act: "app create",
            subject: ({ clientId }: { clientId: string }) => `application ${clientId}, ${application.name}`,
          },
          (inside) => createApplication(inside, application, isPublic),
        )
        print(isPublic ? { client_id: clientId } : { client_id: clientId, client_secret: clientSecret }, json)
      }),
    )

import type { Command } from "commander"
import { hashOf, newSecret } from "../signing/secret.js"
import { type Id, statement } from "../statement.js"
import { examples } from "./examples.js"
import { print, printAll } from "./print.js"
import { recorded } from "./recorded.js"
import { withDatabase } from "./with-database.js"

const allApplications = statement(
  "all_applications",
  `select p.client_id, p.name, p.dialect, to_json(p.redirect_uris), u.email from applications p left join users u on u.id = p.owner_id order by p.id`,
  ([clientId, name, dialect, uris, owner]) => ({
    client_id: clientId,
    name,
    dialect,
    redirect_uris: JSON.parse(uris as string) as string[],
    owner,
  }),
)
const rotateSecret = statement(
  "rotate_secret_of_client",
  "update applications set secret_hash = $2 where client_id = $1 and client_id <> 'personal' returning id",
  ([id]) => id as Id,
)
const deleteClient = statement(
  "delete_client",
  "delete from applications where client_id = $1 and client_id <> 'personal' returning id",
  ([id]) => id as Id,
)

type Named = { clientId: string; json?: boolean }

const unknown = (clientId: string) => new Error(`--client-id: there is no application ${clientId}; see: app list`)

/** `app list`, `app rotate-secret`, `app delete`: what its owner does on the pages, for any application. */
export function addAppManage(apps: Command): void {
  apps
    .command("list")
    .summary("list all applications")
    .description("Shows every application with its owner. Applications created by a command have none.")
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem app list"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database }) => printAll(await database.run(allApplications, []), json)),
    )
  apps
    .command("rotate-secret")
    .summary("rotate an application's secret")
    .description("Creates a new secret for an application, shown once. The old secret stops working at once.")
    .requiredOption("--client-id <id>", "the application's client ID")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem app rotate-secret --client-id 3f2a…"))
    .action(({ clientId, json = false }: Named) =>
      withDatabase(async ({ database }) => {
        const secret = newSecret()
        await recorded(database, { act: "app rotate-secret", subject: `application ${clientId}` }, async (inside) => {
          const [id] = await inside.run(rotateSecret, [clientId, hashOf(secret)])
          if (id === undefined) throw unknown(clientId)
        })
        print({ client_id: clientId, client_secret: secret }, json)
      }),
    )
  apps
    .command("delete")
    .summary("delete an application")
    .description("Deletes an application. All its tokens are revoked within a second, on every node.")
    .requiredOption("--client-id <id>", "the application's client ID")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem app delete --client-id 3f2a…"))
    .action(({ clientId, json = false }: Named) =>
      withDatabase(async ({ database }) => {
        await recorded(database, { act: "app delete", subject: `application ${clientId}` }, async (inside) => {
          const [id] = await inside.run(deleteClient, [clientId])
          if (id === undefined) throw unknown(clientId)
        })
        print({ client_id: clientId, deleted: true }, json)
      }),
    )
}

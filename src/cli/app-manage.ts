import type { Command } from "commander"
import { PERSONAL_CLIENT_ID } from "../access/writer.js"
import { hashOf, newSecret } from "../signing/secret.js"
import { examples } from "./examples.js"
import { print, printAll } from "./print.js"
import { recorded } from "./recorded.js"
import { withDatabase } from "./with-database.js"

/** Every application but the one that personal tokens are of. */
const manageable = (clientId: string) => ({ clientId, NOT: { clientId: PERSONAL_CLIENT_ID } })

type Named = { clientId: string; json?: boolean }

const unknown = (clientId: string, which = "") =>
  new Error(`--client-id: there is no application ${[clientId, which].join(" ").trim()}; see: app list`)

/** `app list`, `app rotate-secret`, `app delete`: what its owner does on the pages, for any application. */
export function addAppManage(apps: Command): void {
  apps
    .command("list")
    .summary("list all applications")
    .description("Shows every application with its owner. Applications created by a command have none.")
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem app list"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database: { prisma } }) => {
        const found = await prisma.application.findMany({ orderBy: { id: "asc" }, include: { owner: true } })
        const rows = found.map(({ clientId, name, dialect, redirectUris, secretHash, scopes, owner }) => ({
          client_id: clientId,
          name,
          dialect,
          redirect_uris: redirectUris,
          scopes: scopes.join(" "),
          public: secretHash === null,
          owner: owner?.email ?? null,
        }))
        printAll(rows, json)
      }),
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
          const data = { secretHash: new Uint8Array(hashOf(secret)) }
          // A public application stays one.
          const where = { ...manageable(clientId), secretHash: { not: null } }
          const { count } = await inside.prisma.application.updateMany({ where, data })
          if (count === 0) throw unknown(clientId, "with a secret")
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
          const { count } = await inside.prisma.application.deleteMany({ where: manageable(clientId) })
          if (count === 0) throw unknown(clientId)
        })
        print({ client_id: clientId, deleted: true }, json)
      }),
    )
}

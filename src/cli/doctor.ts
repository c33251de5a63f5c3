import type { Command } from "commander"
import { pendingMigrations } from "../database/migrate.js"
import { statement } from "../statement.js"
import { isSentence } from "../telemetry/sentence.js"
import { databaseFindings, serverSettings } from "./database-findings.js"
import { examples } from "./examples.js"
import { type Finding, fileFindings } from "./file-findings.js"
import { print } from "./print.js"
import { type Workbench, withDatabase } from "./with-database.js"

// Not Prisma: windows over the events of all lists. A line of history begins with a leap of all revisions.
const gapsInEvents = statement(
  "gaps_in_events",
  `select count(*) from (
     select id, lag(id) over lists as last_id, list_revision - lag(list_revision) over lists as step from events
     where list_id is not null window lists as (partition by list_id order by list_revision)) e
   where step <> 1 and not exists (select from histories h where h.floor_id >= e.last_id and h.floor_id < e.id)`,
  ([count]) => Number(count),
)
const listsOffTheirEvents = statement(
  "lists_off_their_events",
  `select count(*) from lists l join lateral (select max(list_revision) as last, max(id) as last_id from events e where e.list_id = l.id) e on true
   where e.last <> l.revision and l.deleted_at is null and not exists (select from histories h where h.id > (select min(id) from histories) and h.floor_id >= e.last_id)`,
  ([count]) => Number(count),
)
const OLDEST_POSTGRES = 150_000

/** `doctor`: checks whether everything is in order. */
export const addDoctor = (program: Command): Command =>
  program
    .command("doctor")
    .summary("check whether everything is in order")
    .description(
      "Checks the settings, the database, the object store and the consistency of the data. Changes nothing. Exit code 1 when something is wrong.",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem doctor", "tandem doctor --json"))
    .action(({ json = false }: { json?: boolean }) =>
      withErrorsAsJson(json, async (bench) => {
        const { database, databaseUrl } = bench
        const [server] = await database.run(serverSettings, [])
        const pending = await pendingMigrations(databaseUrl)
        const findings: Finding[] = [
          { check: "settings", ok: true, found: "can be used" },
          {
            check: "postgresql",
            ok: (server?.version ?? 0) >= OLDEST_POSTGRES,
            found: `${server?.versionName}; 15 to 18 are supported`,
          },
          {
            check: "migrations",
            ok: pending.length === 0,
            found: pending.length === 0 ? "all applied" : `pending: ${pending.join(", ")}`,
          },
        ]
        if (pending.length === 0) {
          const count = (check: string, found: number | undefined, text: string) =>
            findings.push({ check, ok: found === 0, found: found === 0 ? "as promised" : `${found} ${text}` })
          const [gaps] = await database.run(gapsInEvents, [])
          count("events", gaps, "gaps in the revisions of lists' events")
          const [off] = await database.run(listsOffTheirEvents, [])
          count("revisions", off, "lists are not at the revision of their last event")
          const ownerless = { deletedAt: null, memberships: { none: { owner: true } } }
          count("owners", await database.prisma.list.count({ where: ownerless }), "lists have no owner")
          findings.push(...(await databaseFindings(database, server)))
          findings.push(...(await fileFindings(bench)))
        }
        if (findings.some(({ ok }) => !ok)) process.exitCode = 1
        if (json) print({ ok: findings.every(({ ok }) => ok), findings }, true)
        else
          print(
            Object.fromEntries(findings.map(({ check, ok, found }) => [check, `${ok ? "ok" : "WRONG"}: ${found}`])),
            false,
          )
      }),
    )

/** Without a database there is nothing to check; programs are told as they are of everything else. */
async function withErrorsAsJson(json: boolean, check: (bench: Workbench) => Promise<void>): Promise<void> {
  try {
    await withDatabase(check, false)
  } catch (error) {
    const { name, message } = error as Error
    const what = name === "ConfigError" ? "settings" : "postgresql"
    if (json && isSentence(error)) print({ ok: false, findings: [{ check: what, ok: false, found: message }] }, true)
    throw error
  }
}

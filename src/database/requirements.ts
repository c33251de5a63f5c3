import type pg from "pg"
import { type Fields, statement } from "../statement.js"
import { DatabaseFault, databaseFault, POOLER } from "./fault.js"
import { rawClient, runOn } from "./pipeline.js"

/** Longer than a request waits: a server that has just been started is slow. */
const CONNECT_WITHIN_MS = 5_000
const OLDEST_POSTGRES = 150_000

type Found = Readonly<Record<(typeof ASKED)[number], string>>

/** What is asked of the server, over a connection like those that serve. */
const ASKED = [
  "server_version_num",
  "server_version",
  "server_encoding",
  "transaction_read_only",
  "session_replication_role",
  ...(["timezone", "plan_cache_mode", "statement_timeout"] as const),
] as const

const found = statement(
  "what_the_database_is",
  `select ${ASKED.map((name) => `current_setting('${name}')`).join(", ")}, pg_is_in_recovery(), current_schema(), current_setting('search_path'),
     current_database(), current_user`,
  (fields: Fields) => {
    const settings = Object.fromEntries(ASKED.map((name, index) => [name, fields[index]])) as Found
    const [isStandby, schema, searchPath, database, user] = fields.slice(ASKED.length)
    return {
      settings,
      isStandby: isStandby === "t",
      schema,
      searchPath,
      database,
      user,
    }
  },
)

/** What a connection has to have been given of what it asked for. */
const OURS = { timezone: "UTC", plan_cache_mode: "force_generic_plan", statement_timeout: "10s" } as const

/**
 * Looks whether the database can serve, before anything is changed in it.
 * @throws DatabaseFault that says in a sentence what is in the way and what to do
 */
export async function requireServing(url: string): Promise<void> {
  let client: pg.Client | undefined
  try {
    client = rawClient(url, { application_name: "tandem start", connectionTimeoutMillis: CONNECT_WITHIN_MS })
    client.on("error", () => {}) // what is asked is rejected with the same
    await client.connect()
    const [answer] = await runOn(client, found, [])
    const reason = answer && whyNot(answer)
    if (reason !== undefined) throw new DatabaseFault(reason)
  } catch (error) {
    throw databaseFault(error, url)
  } finally {
    await client?.end().catch(() => {})
  }
}

function whyNot({
  settings,
  isStandby,
  schema,
  searchPath,
  database,
  user,
}: ReturnType<typeof found.read>): string | undefined {
  if (Number(settings.server_version_num) < OLDEST_POSTGRES)
    return `the server is PostgreSQL ${settings.server_version}. Tandem needs 15 or later`
  if (isStandby) return "it leads to a standby, which takes no writes. Name the primary, or a proxy that leads to it"
  if (settings.transaction_read_only === "on")
    return `the database ${database} is read-only. Reset default_transaction_read_only for it, its role or its server, or name the primary`
  if (settings.server_encoding !== "UTF8")
    return `the database ${database} has the encoding ${settings.server_encoding}, which cannot hold every text. Create one with ENCODING 'UTF8' TEMPLATE template0`
  const lost = (Object.keys(OURS) as (keyof typeof OURS)[]).find((name) => settings[name] !== OURS[name])
  if (lost !== undefined) return POOLER(`${lost} is ${settings[lost]}`)
  if (settings.session_replication_role !== "origin")
    return `session_replication_role is ${settings.session_replication_role}, so that no trigger runs. Reset it for the database and its role`
  if (schema !== "public")
    return (
      `tables would lie in ${schema === null ? "no schema" : `the schema ${schema}`} (search_path is ${searchPath}), and Tandem keeps them in public. ` +
      `Create a database of its own, or: ALTER ROLE ${user} IN DATABASE ${database} SET search_path = public`
    )
  return undefined
}

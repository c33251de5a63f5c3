#!/usr/bin/env node
// Stands in for Prisma's native schema engine, so that `prisma migrate` works without a download: it speaks the same
// JSON-RPC, one message a line on stdin and stdout, on top of the engine's WebAssembly build and the pg adapter.
// Only developers who make migrations run it. A server applies them with src/database/migrate.ts and needs no engine.
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { PrismaPg } from "@prisma/adapter-pg"
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils"
import * as engineGlue from "@prisma/schema-engine-wasm/schema_engine_bg"
import pg from "pg"
import { parse } from "pg-connection-string"

const CHAR_OID = 18
const BPCHAR_OID = 1042

/** Reads the flags that Prisma's CLI passes: `--datamodels <file>` (repeated), `--datasource <json>`, `cli <command>`. */
function readArguments(argv) {
  const options = { datamodels: [], datasource: undefined, command: undefined }
  for (let at = 0; at < argv.length; at++) {
    if (argv[at] === "--datamodels") options.datamodels.push(argv[++at])
    else if (argv[at] === "--datasource") options.datasource = JSON.parse(argv[++at])
    else if (argv[at] === "cli") options.command = argv[++at]
    else if (argv[at].startsWith("--")) at++ // a flag of no concern here, with its value
  }
  return options
}

/** Writes a line in the form in which the CLI expects the engine's log. */
function log(level, message, fields = {}) {
  const line = { timestamp: new Date().toISOString(), level, fields: { message, ...fields } }
  process.stderr.write(`${JSON.stringify({ ...line, target: "schema_engine::logger" })}\n`)
}

/**
 * The address as separate settings. Not `{ connectionString }`: the adapter reaches a shadow database by adding
 * `database` to its settings, and a connection string would win over it, so that the shadow would be the real database.
 */
function connectionSettings(url) {
  const { schema: _, ...settings } = parse(url)
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined))
}

/** Runs one statement on a connection of its own. */
async function runAlone(settings, sql) {
  const client = new pg.Client(settings)
  await client.connect()
  try {
    if (sql) await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Answers `can-connect-to-database` and `create-database`, by the exit code and one line of log with Prisma's code. */
async function runDatabaseCommand(command, url) {
  const settings = connectionSettings(url)
  const { database } = settings
  try {
    if (command === "can-connect-to-database") await runAlone(settings)
    else if (command === "create-database")
      await runAlone({ ...settings, database: "postgres" }, `CREATE DATABASE ${pg.escapeIdentifier(database)}`)
    else throw new Error(`the command ${command} is not known to this engine`)
    return 0
  } catch (error) {
    const prismaCodes = { "3D000": "P1003", "28P01": "P1000" }
    // The CLI skips the first line, where the native engine prints a greeting.
    process.stderr.write("\n")
    log("ERROR", error.message || error.code, { is_panic: false, error_code: prismaCodes[error.code] ?? "P1001" })
    return 1
  }
}

/**
 * Mends two things of the adapter's connections that the engine trips over.
 * The adapter has no mapping for the catalog's type "char", and the engine accepts it only as Character: as Text it panics
 * at every CHECK constraint, and on PostgreSQL 18 at every NOT NULL column.
 * And the adapter splits scripts at each semicolon, which breaks function bodies; sent whole, a script is also one transaction.
 */
function mendConnection(connection) {
  const charColumns = new WeakMap()
  const performIO = connection.performIO.bind(connection)
  connection.performIO = async (query) => {
    const result = await performIO(query)
    const fields = result?.fields ?? []
    const found = fields.flatMap((field, index) => (field.dataTypeID === CHAR_OID ? [index] : []))
    for (const index of found) fields[index].dataTypeID = BPCHAR_OID
    charColumns.set(query, found)
    return result
  }
  const queryRaw = connection.queryRaw.bind(connection)
  connection.queryRaw = async (query) => {
    const result = await queryRaw(query)
    for (const index of charColumns.get(query) ?? []) result.columnTypes[index] = ColumnTypeEnum.Character
    return result
  }
  connection.executeScript = async (script) => {
    try {
      await connection.client.query(script)
    } catch (error) {
      connection.onError(error)
    }
  }
  if (connection.startTransaction) {
    const startTransaction = connection.startTransaction.bind(connection)
    connection.startTransaction = async (...options) => mendConnection(await startTransaction(...options))
  }
  return connection
}

/** The adapter with mended connections, and with shadow databases that it can also remove. */
function createAdapter(url) {
  const settings = connectionSettings(url)
  const adapter = new PrismaPg(settings)
  const connect = adapter.connect.bind(adapter)
  adapter.connect = async () => mendConnection(await connect())
  // The adapter's own version drops the database before it closes its connections to it, which PostgreSQL refuses.
  adapter.connectToShadowDb = async () => {
    const database = `prisma_migrate_shadow_db_${randomUUID()}`
    await runAlone(settings, `CREATE DATABASE "${database}" TEMPLATE template0`)
    const shadow = mendConnection(await new PrismaPg({ ...settings, database }).connect())
    const dispose = shadow.dispose.bind(shadow)
    shadow.dispose = async () => {
      await dispose()
      await runAlone(settings, `DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`)
    }
    return shadow
  }
  return adapter
}

/** Instantiates the WebAssembly by hand: the package's main entry imports it as a module, which Node 20 cannot. */
async function loadEngine() {
  const glueFile = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg")
  const binary = readFileSync(join(dirname(glueFile), "schema_engine_bg.wasm"))
  const { instance } = await WebAssembly.instantiate(binary, { "./schema_engine_bg.js": engineGlue })
  engineGlue.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

// The engine leaves the text of a panic here; all that JavaScript sees of it is an `unreachable` trap.
globalThis.PRISMA_WASM_PANIC_REGISTRY = {
  set_message(message) {
    this.message = message
  },
}

function exitOnPanic(error) {
  const message = globalThis.PRISMA_WASM_PANIC_REGISTRY.message ?? error.message
  log("ERROR", message, { is_panic: true, backtrace: error.stack })
  process.exit(101)
}

/** Calls methods of one engine, which is made at the first call. */
function createCaller({ datamodels, datasource }) {
  let engine
  const start = () => {
    const schema = datamodels.map((file) => [file, readFileSync(file, "utf8")])
    const adapter = createAdapter(datasource?.url || "postgresql://nobody@127.0.0.1:1/none")
    return engineGlue.SchemaEngine.new(
      { datamodels: schema.length > 0 ? schema : undefined },
      (message) => log("INFO", message),
      bindMigrationAwareSqlAdapterFactory(adapter),
    )
  }
  return async function call(method, params) {
    // pg creates nothing by itself, and `create-database` above has been run by then.
    if (method === "createDatabase") return { databaseName: connectionSettings(datasource.url).database }
    engine ??= await start()
    const name = method === "getDatabaseVersion" ? "version" : method
    try {
      return await engine[name](params)
    } catch (error) {
      if (!/shadow DB must be provided/.test(error?.message ?? "")) throw error
      // After applyMigrations the engine has lost its way to a shadow database. A new one finds it in devDiagnostic.
      engine = await start()
      await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters })
      return engine[name](params)
    }
  }
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

/** Answers requests in the order in which they come, until stdin ends. */
async function serve(options) {
  await loadEngine()
  const call = createCaller(options)
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = line.trim() ? JSON.parse(line) : {}
    if (!method) continue // an answer of the CLI to a `print` below
    try {
      const result = await call(method, params)
      // The native engine prints a diff by asking the CLI to, and the CLI ignores the text in the result.
      if (method === "diff" && typeof result?.stdout === "string")
        send({ id: `print-${id}`, method: "print", params: { content: result.stdout } })
      send({ id, result: result ?? null })
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) exitOnPanic(error)
      const data = { is_panic: false, message: error?.message ?? String(error), meta: error?.meta ?? null }
      const message = "An error happened. Check the data field for details."
      send({ id, error: { code: 4466, message, data: { ...data, error_code: error?.code ?? null } } })
    }
  }
}

const argv = process.argv.slice(2)
process.on("uncaughtException", exitOnPanic)
if (argv.includes("--version")) {
  console.log("schema-engine-cli wasm")
} else {
  const options = readArguments(argv)
  if (options.command) process.exitCode = await runDatabaseCommand(options.command, options.datasource.url)
  else await serve(options)
}

// The PostgreSQL that is measured with: one of its own, or that of DATABASE_URL, in which it makes databases of its own.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startEmbeddedPostgres } from "../../dist/database/embedded-postgres.js"
import { applyMigrations } from "../../dist/database/migrate.js"
import { parentOf, pin } from "./processes.mjs"

const SILENT = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error }
const textOf = (file) => readFileSync(new URL(file, import.meta.url), "utf8")

async function startServer() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), "tandem-bench-"))
  chmodSync(dataDir, 0o755) // run as root, PostgreSQL is another user and has to get in
  const postgres = await startEmbeddedPostgres({ dataDir, log: SILENT })
  return {
    // Only a superuser may load rows past the triggers; it has the same password.
    url: Object.assign(new URL(postgres.url), { username: "postgres" }).href,
    async stop() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const at = (url, name) => Object.assign(new URL(url), { pathname: `/${name}` }).href

async function withClient(url, work) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A database with the benchmark's rows. */
function benchDatabase(url) {
  return {
    url,
    /** Rows as arrays of text. */
    rows: (sql) =>
      withClient(url, async (client) => {
        const { rows } = await client.query({ text: sql, rowMode: "array" })
        return rows.map((row) => row.map(String))
      }),
    run: (sql) => withClient(url, (client) => client.query(sql)),
    load: (file) => withClient(url, (client) => client.query(textOf(file))),
  }
}

/** Starts PostgreSQL and fills the service's database; copies of it have the same rows without triggers, events and windows. */
export async function openBenchDatabases() {
  const server = await startServer()
  try {
    return await fill(server)
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function fill(server) {
  const names = {
    main: `tandem_bench_${process.pid}`,
    bare: `tandem_bare_${process.pid}`,
    peer: `tandem_peer_${process.pid}`,
  }
  await withClient(server.url, async (client) => {
    await client.query(`create database ${names.main}`)
    // How long a flush takes differs from disk to disk and would decide what writes cost.
    await client.query(`alter database ${names.main} set synchronous_commit = off`)
  })
  const main = benchDatabase(at(server.url, names.main))
  await applyMigrations(main.url, SILENT)
  await main.load("data.sql")
  await main.run("vacuum analyze")
  const postmaster = await withClient(main.url, async (client) => {
    const { rows } = await client.query("select pg_backend_pid() as pid")
    return parentOf(rows[0].pid)
  })
  if (postmaster === undefined) console.error("PostgreSQL runs elsewhere: its CPU is not shown.")
  else pin(postmaster, 1)
  return {
    main,
    postmaster,
    /** Made when it is asked for: a copy, stripped; that of a peer with what its users would write. */
    async openCopy(kind) {
      await withClient(server.url, async (client) => {
        await client.query(`create database ${names[kind]} template ${names.main}`)
        await client.query(`alter database ${names[kind]} set synchronous_commit = off`)
      })
      const copy = benchDatabase(at(server.url, names[kind]))
      await copy.load("bare.sql")
      if (kind === "peer") await copy.load("peers/postgraphile.sql")
      await copy.run("vacuum analyze")
      return copy
    },
    async stop() {
      await withClient(server.url, async (client) => {
        for (const name of Object.values(names)) await client.query(`drop database if exists ${name} with (force)`)
      })
      await server.stop()
    },
  }
}

import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { bundlePage } from "../../scripts/bundle.mjs"
import { startEmbeddedPostgres } from "../../src/database/embedded-postgres.js"
import { applyMigrations } from "../../src/database/migrate.js"
import { silentLog } from "./log.js"
import { databaseUrl, runSql } from "./postgres.js"

/**
 * One PostgreSQL for the whole run, and in it a migrated database that tests copy. TEST_DATABASE_URL names another server
 * to use, by a role that may create databases.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  // What the server's own sources give browsers is built.
  await bundlePage()
  const server = await openServer(process.env.TEST_DATABASE_URL)
  const template = `tandem_template_${randomBytes(4).toString("hex")}`
  await runSql(server.url, `CREATE DATABASE ${template}`)
  await applyMigrations(databaseUrl(server.url, template), silentLog)
  provide("postgresUrl", server.url)
  provide("templateDatabase", template)
  return async () => {
    await dropAll(server.url, template)
    rmSync(join(tmpdir(), template), { recursive: true, force: true }) // the folders of those nodes
    await server.stop()
  }
}

/** The template and what is left of its copies: the nodes that a worker's tests share are not stopped by any of them. */
async function dropAll(url: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [template])
  for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`)
  await client.end()
}

async function openServer(url: string | undefined): Promise<{ url: string; stop(): Promise<void> }> {
  if (url) return { url, stop: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), "tandem-test-"))
  chmodSync(dataDir, 0o755) // run as root, PostgreSQL is another user and has to get in
  const postgres = await startEmbeddedPostgres({ dataDir, log: silentLog, isDurable: false })
  // Each of some thousand connections hashes the password so often as it was hashed when it was set: 4,096 times.
  const { username, password } = new URL(postgres.url)
  await runSql(postgres.url, `SET scram_iterations = 1; ALTER ROLE ${username} PASSWORD '${password}'`)
  return {
    url: postgres.url,
    async stop() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

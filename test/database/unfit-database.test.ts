import "reflect-metadata"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { afterEach, describe, expect, inject, it } from "vitest"
import { startApp } from "../../src/app.js"
import { readConfig } from "../../src/config/config.js"
import { runCli } from "../support/cli.js"
import { freePort } from "../support/free-port.js"
import { silentLog } from "../support/log.js"
import { makePerson } from "../support/make.js"
import { startNodeOn } from "../support/node.js"
import { databaseUrl, runSql } from "../support/postgres.js"

const server = new URL(inject("postgresUrl"))
const cleanup: (() => unknown)[] = []
afterEach(async () => {
  for (const undo of cleanup.splice(0).reverse()) await undo()
})

/** A database of its own, made and set up by statements in which `$db` is its name. */
async function database(create = "CREATE DATABASE $db STRATEGY FILE_COPY", ...setUp: string[]): Promise<string> {
  const name = `tandem_unfit_${randomBytes(6).toString("hex")}`
  const named = (sql: string) => sql.replaceAll("$db", name)
  await runSql(server.href, named(create))
  cleanup.push(() => runSql(server.href, named("DROP DATABASE $db WITH (FORCE)")))
  const url = databaseUrl(server.href, name)
  for (const sql of setUp) await runSql(url, named(sql))
  return url
}

/** What a node says when it does not start on a database. */
const refusal = async (url: string): Promise<string> => {
  const config = readConfig({ DATABASE_URL: url, PORT: "0", NODE_ENV: "test", DATA_DIR: "/nonexistent/tandem" })
  const error: Error = await startApp(config, silentLog).then(
    (app) => app.stop().then(() => new Error("it started")),
    (error) => error,
  )
  expect([error.name, error.message.includes(server.password)]).toEqual(["DatabaseFault", false])
  expect(error.message).toMatch(/^DATABASE_URL cannot be used: \S/)
  return error.message
}
const changed = (change: (url: URL) => void, url = server.href): string => {
  const other = new URL(url)
  change(other)
  return other.href
}

/** What a command says of a database. */
async function runOn(url: string, ...words: string[]) {
  const before = process.env.DATABASE_URL
  process.env.DATABASE_URL = url
  try {
    return await runCli(...words)
  } finally {
    if (before === undefined) delete process.env.DATABASE_URL
    else process.env.DATABASE_URL = before
  }
}

describe("a database that cannot be reached (ours)", () => {
  it.each<[string, (url: URL) => void, RegExp]>([
    [
      "TLS that the server does not speak",
      (url) => url.searchParams.set("sslmode", "require"),
      /does not speak\. Turn ssl on there, or remove sslmode/,
    ],
    [
      "a port where nothing listens",
      (url) => {
        url.port = "1"
      },
      /nothing listens at 127\.0\.0\.1:1\./,
    ],
    [
      "a host that is none",
      (url) => {
        url.hostname = "tandem.invalid"
      },
      /tandem\.invalid:\d+ (has no address|could not be looked up)/,
    ],
    [
      "a wrong password",
      (url) => {
        url.password = "wrong"
      },
      /the password is not that of the role tandem/,
    ],
    [
      "no password",
      (url) => {
        url.password = ""
      },
      /asks for the password of the role tandem/,
    ],
    [
      "a role that is not there",
      (url) => {
        url.username = "nobody"
      },
      /role nobody/,
    ],
    [
      "a database that is not there",
      (url) => {
        url.pathname = "/no_such_one"
      },
      /no database no_such_one\. Create it: CREATE DATABASE/,
    ],
    [
      "a certificate that is not there",
      (url) => url.searchParams.set("sslrootcert", "/nonexistent/ca.pem"),
      /the file \/nonexistent\/ca\.pem cannot be read/,
    ],
  ])("is told in a sentence: %s", async (_, change, sentence) => {
    // biome-ignore format: a row a case
    expect(await refusal(changed(change))).toMatch(sentence)
  })

  it("is told when the place never answers, and when it is no PostgreSQL", async () => {
    const sockets = createServer((socket) => socket.on("data", (bytes) => bytes.length > 8 && socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).on("error", () => {})) // biome-ignore format: one line
    const port = await new Promise<number>((resolve) =>
      sockets.listen(0, "127.0.0.1", () => resolve((sockets.address() as { port: number }).port)),
    )
    const silent = createServer(() => {})
    const silentPort = await new Promise<number>((resolve) =>
      silent.listen(0, "127.0.0.1", () => resolve((silent.address() as { port: number }).port)),
    )
    cleanup.push(
      () => sockets.close(),
      () => silent.close(),
    )
    const at = (port: number) => refusal(changed((url) => { url.port = String(port) })) // biome-ignore format: one line
    expect(await at(silentPort)).toMatch(/does not answer\. Correct host and port/)
    expect(await at(port)).toMatch(/Is it a PostgreSQL|does not answer/)
  })

  it("is told by every command alike, on standard error and without a stack; doctor --json says it as JSON too", async () => {
    const url = changed((url) => { url.password = "hunter2" }) // biome-ignore format: one line
    for (const words of [["app", "list"], ["migrate"], ["doctor"], ["doctor", "--json"]]) {
      const { code, err, out } = await runOn(url, ...words)
      expect([code, err.trim().split("\n").length, `${out}${err}`.includes("hunter2")]).toEqual([1, 1, false])
      expect(err).toMatch(/^DATABASE_URL cannot be used: the password is not that of the role tandem\. Correct it\n$/)
    }
    expect((await runOn(url, "doctor", "--json")).json).toEqual({
      ok: false,
      findings: [{ check: "postgresql", ok: false, found: expect.stringMatching(/^DATABASE_URL cannot be used/) }],
    })
    expect((await runOn(`${server.href}?schema=x`, "doctor", "--json")).json.findings[0].check).toBe("settings")
  })
})

describe("a database that cannot serve (ours)", () => {
  it.each([
    ["LATIN1", "the encoding LATIN1"],
    ["SQL_ASCII", "the encoding SQL_ASCII"],
  ])("is told in a sentence: the encoding %s", async (encoding, sentence) => {
    const url = await database(
      `CREATE DATABASE $db ENCODING '${encoding}' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'`,
    )
    expect(await refusal(url)).toContain(sentence)
  })

  it.each<[string, string[], RegExp]>([
    [
      "read-only",
      ["ALTER DATABASE $db SET default_transaction_read_only = on"],
      /is read-only\. Reset default_transaction_read_only/,
    ],
    [
      "a schema named like the role",
      ["CREATE SCHEMA tandem"],
      /the schema tandem \(search_path is "\$user", public\).*search_path = public/,
    ],
    [
      "another search_path",
      ["CREATE SCHEMA other", "ALTER DATABASE $db SET search_path = other, public"],
      /the schema other/,
    ],
    ["no schema at all", ["DROP SCHEMA public"], /in no schema/],
    ["tables of another program", ["CREATE TABLE users (id int)"], /tables of another program \(users\)/],
    [
      "another program's migrations",
      [
        "CREATE TABLE _prisma_migrations (migration_name text, checksum text, started_at timestamptz, finished_at timestamptz, rolled_back_at timestamptz, logs text)",
        "INSERT INTO _prisma_migrations VALUES ('1_theirs', '', now(), now())",
        "CREATE TABLE theirs ()",
      ],
      /tables of another program/,
    ],
  ])("is told in a sentence, and left as it was: %s", async (_, setUp, sentence) => {
    // biome-ignore format: a row a case
    const url = await database(undefined, ...setUp)
    const relations = async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query("select relname from pg_class where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema') order by 1") // biome-ignore format: one line
      await client.end()
      return rows
    }
    const before = await relations()
    expect(await refusal(url)).toMatch(sentence)
    expect(await relations()).toEqual(before)
  })

  it("serves whatever the database has set that statements are not written for", async () => {
    const url = await database(
      undefined,
      ...["timezone = 'Pacific/Auckland'", "datestyle = 'German'", "lock_timeout = '1ms'", "idle_session_timeout = '300ms'"].map((setting) => `ALTER DATABASE $db SET ${setting}`),
      ...["default_transaction_isolation = 'serializable'", "bytea_output = 'escape'", "statement_timeout = '1ms'"].map((setting) => `ALTER DATABASE $db SET ${setting}`),
    ) // biome-ignore format: one setting after the other
    const app = await startNodeOn(url)
    cleanup.push(() => app.stop())
    const ann = await makePerson(app)
    const sent = { list_id: ann.inboxId, title: "x", due_date: "2027-03-05" }
    const made = await Promise.all(Array.from({ length: 20 }, () => ann.post("/tasks", sent)))
    expect(made.map(({ status, body }) => [status, body.due_date])).toEqual(made.map(() => [201, "2027-03-05"]))
    const setting = await ann.post("/settings", { key: "k", value: "v" })
    expect([setting.status, (await ann.get("/settings")).body]).toEqual([201, [setting.body]])
  })
})

describe.skipIf(!existsSync("/usr/sbin/pgbouncer"))("a pooler that does not keep settings (ours)", () => {
  async function startPooler(settings: string): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "tandem-pooler-"))
    chmodSync(folder, 0o755)
    const port = await freePort()
    const { hostname, port: behind, username, password, pathname } = server
    writeFileSync(
      join(folder, "pgbouncer.ini"),
      `[databases]\n* = host=${hostname} port=${behind} user=${username} password=${password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
        `listen_port = ${port}\nunix_socket_dir =\nauth_type = any\n${settings}\n`,
    )
    const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
    const pooler = spawn("/usr/sbin/pgbouncer", [join(folder, "pgbouncer.ini")], { ...account, stdio: "ignore" })
    cleanup.push(() => {
      pooler.kill("SIGKILL")
      rmSync(folder, { recursive: true })
    })
    const url = changed((url) => { url.port = String(port) }) // biome-ignore format: one line
    for (let patience = 200; patience > 0; patience--) {
      const client = new pg.Client({ connectionString: url })
      const isUp = await client.connect().then(() => client.end(), () => "not yet") // biome-ignore format: one line
      if (isUp === undefined) return changed((to) => { to.pathname = pathname }, url) // biome-ignore format: one line
      await sleep(50)
    }
    throw new Error("pgbouncer does not start")
  }

  it.each([
    ["refuses them", "pool_mode = transaction"],
    [
      "drops them, in transaction mode",
      "pool_mode = transaction\nignore_startup_parameters = statement_timeout,options,idle_in_transaction_session_timeout",
    ],
    [
      "drops them, in session mode",
      "pool_mode = session\nignore_startup_parameters = statement_timeout,options,idle_in_transaction_session_timeout",
    ],
  ])("is told in a sentence when it %s", async (_, settings) => {
    // biome-ignore format: a row a case
    expect(await refusal(await startPooler(settings))).toMatch(/a pooler in between.*Name PostgreSQL itself/)
  })
})

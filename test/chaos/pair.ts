import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, mkdirSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { freePort } from "../support/free-port.js"

/** Debian's PostgreSQL 15: what comes with the package has neither pg_basebackup nor a user of its own. */
const BIN = "/usr/lib/postgresql/15/bin"
const STANDBY = "standby"
const PATIENCE_MS = 60_000

/** A primary and its synchronous standby behind one address, which leads to the primary of the moment. */
export type Pair = {
  /** Where clients connect, whichever server is the primary. */
  readonly url: string
  /** Ends the primary as a crash does, and promotes the standby. Resolves when writes are taken again; the pair is not yet whole. */
  failOver(): Promise<void>
  /** Hands over in good order: the primary ends, having sent everything, and the standby is promoted. */
  switchOver(): Promise<void>
  /** Makes a standby of the server that is down, and waits until commits wait for it. */
  repair(): Promise<void>
  stop(): Promise<void>
}

type Server = { readonly folder: string; readonly port: number; process: ChildProcess | undefined }

const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"]))

/** Starts both below `folder`, which everybody may enter. Needs Debian's `postgresql-15`, and to be root. */
export async function startPair(folder: string): Promise<Pair> {
  const owner = { uid: idOf("-u"), gid: idOf("-g") }
  const servers: [Server, Server] = [await place("a"), await place("b")]
  let [primary, other] = servers
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(BIN, program), args, { ...owner, stdio: ["ignore", "ignore", "pipe"], cwd: "/" })

  async function place(name: string): Promise<Server> {
    mkdirSync(join(folder, name), { mode: 0o700 })
    chownSync(join(folder, name), owner.uid, owner.gid)
    return { folder: join(folder, name, "data"), port: await freePort(), process: undefined }
  }

  async function start(server: Server): Promise<void> {
    const settings = {
      port: server.port,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      wal_keep_size: "512MB",
      max_connections: 200,
      // A primary that dies is noticed by its standby at once, not after a minute.
      wal_receiver_timeout: "2s",
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    server.process = spawn(join(BIN, "postgres"), ["-D", server.folder, ...args], {
      ...owner,
      cwd: "/",
      detached: true, // a group of its own, so that all of it dies at once
      stdio: "ignore",
    })
    await until(server, "select true", `the server on port ${server.port} answers`)
  }

  async function ask<Row extends object>(server: Server, sql: string): Promise<Row[]> {
    const client = new pg.Client({ host: "127.0.0.1", port: server.port, user: "tandem", database: "postgres" })
    client.on("error", () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** Waits until a statement gives a row whose first column is true. */
  async function until(server: Server, sql: string, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      const [row] = await ask(server, sql).catch(() => [])
      if (row !== undefined && Object.values(row)[0] === true) return
      if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`)
      await sleep(50)
    }
  }

  async function follow(server: Server, leader: Server): Promise<void> {
    rmSync(server.folder, { recursive: true, force: true })
    const source = `host=127.0.0.1 port=${leader.port} user=tandem application_name=${STANDBY}`
    run("pg_basebackup", "-D", server.folder, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
    await start(server)
    await ask(leader, `alter system set synchronous_standby_names = '${STANDBY}'`)
    await ask(leader, "select pg_reload_conf()")
    await until(
      leader,
      "select sync_state = 'sync' and state = 'streaming' from pg_stat_replication",
      "the standby is synchronous",
    )
  }

  const connections = new Set<Socket>()
  let isOpen = true
  const way = createServer((client) => {
    if (!isOpen) return client.destroy()
    const upstream = connect(primary.port, "127.0.0.1")
    for (const socket of [client, upstream]) {
      connections.add(socket)
      socket.on("error", () => socket.destroy())
      socket.on("close", () => {
        connections.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })

  async function promote(): Promise<void> {
    isOpen = false
    for (const socket of connections) socket.destroy()
    ;[primary, other] = [other, primary]
    await ask(primary, "alter system set synchronous_standby_names = ''") // there is none until the pair is repaired
    await ask(primary, "select pg_promote(true, 60)")
    await until(primary, "select not pg_is_in_recovery()", "the standby is the primary")
    isOpen = true
  }

  async function end(server: Server, signal: NodeJS.Signals): Promise<void> {
    const child = server.process
    server.process = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    process.kill(signal === "SIGKILL" ? -child.pid : child.pid, signal)
    await ended
  }

  run("initdb", "-D", primary.folder, "-U", "tandem", "--auth=trust", "--locale=C.UTF-8", "-E", "UTF8", "--no-sync")
  await start(primary)
  await ask(primary, "create database tandem")
  await follow(other, primary)
  const port = await freePort()
  await new Promise<void>((resolve) => way.listen(port, "127.0.0.1", resolve))

  return {
    url: `postgres://tandem@127.0.0.1:${port}/tandem`,
    async failOver() {
      await end(primary, "SIGKILL")
      await promote()
    },
    async switchOver() {
      await end(primary, "SIGINT") // a fast stop sends the standby all there is before it ends
      await promote()
    },
    repair: () => follow(other, primary),
    async stop() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => way.close(resolve))
      await Promise.all(servers.map((server) => end(server, "SIGKILL")))
    },
  }
}

import { rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import {
  type DebianServer,
  makeDebianFolder,
  openDebianServer,
  runDebianMeanwhile,
} from "../support/debian-postgres.js"
import { freePort } from "../support/free-port.js"

const STANDBY = "standby"
const SETTINGS = {
  wal_keep_size: "512MB",
  max_connections: "200",
  // A primary that dies is noticed by its standby at once, not after a minute.
  wal_receiver_timeout: "2s",
}

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

/** Starts both below `folder`, which everybody may enter. Needs Debian's `postgresql-15`, and to be root. */
export async function startPair(folder: string): Promise<Pair> {
  const servers: [DebianServer, DebianServer] = [await place("a"), await place("b")]
  let [primary, other] = servers

  async function place(name: string): Promise<DebianServer> {
    makeDebianFolder(join(folder, name))
    return openDebianServer(join(folder, name, "data"))
  }

  async function follow(server: DebianServer, leader: DebianServer): Promise<void> {
    rmSync(server.folder, { recursive: true, force: true })
    const source = `host=127.0.0.1 port=${leader.port} user=tandem application_name=${STANDBY}`
    const args = ["-D", server.folder, "-d", source, "-R", "-X", "stream", "-c", "fast", "--no-sync"]
    // The receiver of webhooks and the way to the database are in this process: stopped, they would look dead for so long.
    await runDebianMeanwhile("pg_basebackup", ...args)
    await server.start(SETTINGS)
    await leader.ask(`alter system set synchronous_standby_names = '${STANDBY}'`)
    await leader.ask("select pg_reload_conf()")
    await leader.until(
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
    await primary.ask("alter system set synchronous_standby_names = ''") // there is none until the pair is repaired
    await primary.ask("select pg_promote(true, 60)")
    await primary.until("select not pg_is_in_recovery()", "the standby is the primary")
    isOpen = true
  }

  primary.init()
  await primary.start(SETTINGS)
  await primary.ask("create database tandem")
  await follow(other, primary)
  const port = await freePort()
  await new Promise<void>((resolve) => way.listen(port, "127.0.0.1", resolve))

  return {
    url: `postgres://tandem@127.0.0.1:${port}/tandem`,
    async failOver() {
      await primary.end("SIGKILL")
      await promote()
    },
    async switchOver() {
      await primary.end("SIGINT") // a fast stop sends the standby all there is before it ends
      await promote()
    },
    repair: () => follow(other, primary),
    async stop() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => way.close(resolve))
      await Promise.all(servers.map((server) => server.end("SIGKILL")))
    },
  }
}

import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPipeline } from "../../src/database/pipeline.js"
import { Unavailable } from "../../src/errors.js"
import { statement } from "../../src/statement.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"
import { startProxy } from "../support/proxy.js"

const TIMEOUT_MS = 400

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const one = statement("test_one_row", "select 1", ([one]) => one)
const slow = statement("test_slow", "select pg_sleep(0.05)", () => "slow")

/** A way to the server; `pass` says what becomes of each connection, of which it is told how many came before. */
async function openWay(pass: (client: Socket, open: () => Socket, before: number) => void) {
  const target = new URL(database.url)
  const sockets: Socket[] = []
  let connections = 0
  const server = createServer((client) => {
    sockets.push(client.on("error", () => {}))
    const open = () => {
      const upstream = connect(Number(target.port), target.hostname).on("error", () => {})
      sockets.push(upstream)
      return upstream
    }
    pass(client, open, connections++)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const through = new URL(database.url)
  through.hostname = "127.0.0.1"
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    connections: () => connections,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Only the first connection gets through; the others are taken and hear nothing. */
const narrowWay = () =>
  openWay((client, open, before) => {
    if (before === 0) client.pipe(open()).pipe(client)
  })

/** At most so many bytes of the server's come through each time. */
const slowWay = (bytes: number, everyMs: number) =>
  openWay(async (client, open) => {
    const upstream = open()
    client.pipe(upstream)
    try {
      for await (const piece of upstream)
        for (let from = 0; from < piece.length; from += bytes) {
          client.write(piece.subarray(from, from + bytes))
          await sleep(everyMs)
        }
    } catch {
      // It was stopped.
    }
  })

describe("the pipeline", () => {
  it("lets no statement wait for a connection that is being opened while another is open", async () => {
    const way = await narrowWay()
    const pipeline = openPipeline(way.url, 4)
    expect(await pipeline.run(slow, [])).toEqual(["slow"])
    const answers = await Promise.all(Array.from({ length: 12 }, () => pipeline.run(slow, [])))
    expect(answers).toEqual(Array(12).fill(["slow"]))
    // More were wanted, as all were busy.
    expect(way.connections()).toBeGreaterThan(1)
    way.stop()
    await pipeline.stop()
  })

  it("opens the others when it is busy, and uses them", async () => {
    const pipeline = openPipeline(database.url, 4)
    for (const _ of [1, 2]) await Promise.all(Array.from({ length: 12 }, () => pipeline.run(slow, [])))
    expect(pipeline.status().open).toBe(4)
    await pipeline.stop()
  })

  it("waits for a large answer as long as some of it comes, and so do the small ones behind it", async () => {
    const large = statement(
      "test_large",
      "select repeat('x', 10000) from generate_series(1, 60)",
      ([text]) => text?.length,
    )
    const way = await slowWay(20_000, 30)
    const pipeline = openPipeline(way.url, 1, TIMEOUT_MS)
    await pipeline.run(one, [])
    const startedAt = performance.now()
    const [many, few] = await Promise.all([pipeline.run(large, []), pipeline.run(one, [])])
    expect([many, few]).toEqual([Array(60).fill(10_000), ["1"]])
    expect(performance.now() - startedAt).toBeGreaterThan(TIMEOUT_MS)
    way.stop()
    await pipeline.stop()
  })

  it("gives up a connection on which nothing comes any more", async () => {
    const way = await startProxy(database.url)
    const pipeline = openPipeline(way.url, 1, TIMEOUT_MS)
    await pipeline.run(one, [])
    way.hold()
    await expect(pipeline.run(one, [])).rejects.toBeInstanceOf(Unavailable)
    // The next one takes a new connection.
    expect(await pipeline.run(one, [])).toEqual(["1"])
    await pipeline.stop()
    await way.stop()
  })
})

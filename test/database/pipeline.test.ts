import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openPipeline } from "../../src/database/pipeline.js"
import { statement } from "../../src/statement.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const slow = statement("test_slow", "select pg_sleep(0.05)", () => "slow")

/** A way to the server on which only the first connection gets through; the others are taken and hear nothing. */
async function narrowWay() {
  const target = new URL(database.url)
  const sockets: Socket[] = []
  const server = createServer((client) => {
    sockets.push(client.on("error", () => {}))
    if (sockets.length > 1) return
    const upstream = connect(Number(target.port), target.hostname)
    sockets.unshift(upstream.on("error", () => {}))
    client.pipe(upstream).pipe(client)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const through = new URL(database.url)
  through.hostname = "127.0.0.1"
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    connections: () => sockets.length - 1,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

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
    await Promise.all(Array.from({ length: 12 }, () => pipeline.run(slow, [])))
    await Promise.all(Array.from({ length: 12 }, () => pipeline.run(slow, [])))
    expect(pipeline.status().open).toBe(4)
    await pipeline.stop()
  })
})

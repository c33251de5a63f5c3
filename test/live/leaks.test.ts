import { once } from "node:events"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { statement } from "../../src/statement.js"
import { makeList, makePeople, makePerson, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { eventually, listen, quiet } from "./listener.js"

let node: TestNode
let ann: Person
let list: any
beforeAll(async () => {
  node = await startNode()
  ann = await makePerson(node)
  list = await makeList(ann)
})
afterAll(() => node.stop())

const connections = statement(
  "test_connections",
  "select count(*) from pg_stat_activity where datname = current_database()",
  ([count]) => Number(count),
)
const heapBytes = (): number => {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  collect()
  return process.memoryUsage().heapUsed
}

/** Connects, subscribes to a quiet list and to the account, and cuts the connection without a close frame. */
async function cutOff(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const socket = new WebSocket(`${node.url.replace("http", "ws")}/graphql`, "graphql-transport-ws")
    socket.on("error", () => {})
    await once(socket, "open")
    socket.send(JSON.stringify({ type: "connection_init", payload: ann.headers }))
    await once(socket, "message")
    const queries = [
      `subscription { listUpdated(listId: ${list.id}) { id } }`,
      "subscription { accountUpdated { id } }",
    ]
    for (const [id, query] of queries.entries())
      socket.send(JSON.stringify({ id: String(id), type: "subscribe", payload: { query } }))
    // Some while they are being opened, some when they are.
    if (n % 2 === 0) await quiet(5)
    ;(socket as unknown as { _socket: { destroy(): void } })._socket.destroy()
  }
}

describe("subscribers that vanish", () => {
  it("leave nothing behind: no listener, no socket, no connection, no memory", async () => {
    const idle = node.status()
    await Promise.all(Array.from({ length: 8 }, () => cutOff(12)))
    await eventually(() => node.status().sockets === 0)
    const [connectionsBefore] = await node.database.run(connections, [])
    const grown: number[] = []
    for (let round = 0; round < 3; round++) {
      const heapBefore = heapBytes()
      await Promise.all(Array.from({ length: 8 }, () => cutOff(25)))
      await eventually(() => node.status().sockets === 0 && node.status().streams === 0)
      grown.push(heapBytes() - heapBefore)
    }
    // The lag and the pools are those of the moment.
    expect(node.status()).toMatchObject({ ...idle, lagMs: expect.any(Number), pools: expect.anything() })
    const [connectionsAfter] = await node.database.run(connections, [])
    // The node's own pools open a connection when they first need it; 600 subscribers would have left more than that.
    expect(connectionsAfter).toBeLessThanOrEqual((connectionsBefore as number) + 12)
    // A socket that stays holds some 20 KiB, 4 MB a round, and does so in every round; what a cache takes comes once.
    expect(Math.min(...grown)).toBeLessThan(2_000_000)
  }, 120_000)

  it("leave their execution with the last of them", async () => {
    const listener = listen(ann)
    const idle = node.status().listeners
    const [one, two] = [listener.listUpdated(list.id), listener.listUpdated(list.id)]
    await eventually(() => node.status().subscribers === 2)
    expect(node.status()).toMatchObject({ streams: 2, executions: 1, listeners: idle + 2 })
    one.stop()
    await eventually(() => node.status().subscribers === 1)
    expect(node.status()).toMatchObject({ streams: 1, executions: 1, listeners: idle + 1 })
    two.stop()
    await eventually(() => node.status().subscribers === 0)
    expect(node.status()).toMatchObject({ streams: 0, executions: 0, listeners: idle })
    await listener.close()
  })
})

describe("a reader that does not read", () => {
  /** A member who stops reading, and writes until the socket is dropped, while another member gets everything. */
  async function stuck() {
    await eventually(() => node.status().sockets === 0)
    const { owner, member, list: busy } = await makePeople(node)
    const slow = listen(member)
    const ended = slow.listUpdated(busy.id, busy.revision)
    await slow.run("{ viewer { id } }")
    const quick = listen(owner)
    const listening = quick.listUpdated(busy.id, busy.revision)
    await eventually(() => node.status().subscribers === 2)
    slow.socket().pause()
    const task = (await owner.post("/tasks", { list_id: busy.id, title: "Long notes" })).body
    const content = "x".repeat(400_000)
    let written = 1
    while (node.status().subscribers === 2 && written < 60) {
      await owner.post("/notes", { task_id: task.id, content })
      written++
      await listening.until((events) => events.length === written)
    }
    await quick.close()
    return { slow, ended }
  }

  it("is closed with 1013, as soon as it reads again, and others are not held up", async () => {
    const { slow, ended } = await stuck()
    slow.socket().resume()
    expect(await slow.closed()).toBe(1013)
    // The client may come back and resume, so no completion is sent.
    expect(ended.state()).not.toBe("complete")
  })

  it("is cut when it goes on not reading", async () => {
    const { slow } = await stuck()
    await eventually(() => node.status().sockets === 0)
    slow.cut()
  })
})

import { spawn } from "node:child_process"
import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAX_STREAMS } from "../../src/events/carrier-limits.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person
let bob: Person
beforeAll(async () => {
  node = await startNode()
  ;[ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
})
afterAll(() => node.stop())

/** `curl -N`, as anybody would follow: its lines, and how it ended. */
function follow(person: Pick<Person, "headers">, query = "", headers: Record<string, string> = {}, url = node.url) {
  const sent = Object.entries({ ...person.headers, ...headers }).flatMap(([name, value]) => ["-H", `${name}: ${value}`])
  const curl = spawn("curl", ["-sNi", `${url}/api/v1/events${query}`, ...sent])
  const seen = { text: "", isOver: false }
  curl.stdout.on("data", (chunk) => (seen.text += chunk))
  curl.once("close", () => (seen.isOver = true))
  const changes = (): any[] => [...seen.text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string))
  return {
    seen,
    stop: () => void curl.kill(),
    changes,
    of: (type: string) => changes().filter((change) => change.type === type),
    cursor: () => [...seen.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]?.trim() as string,
    begun: () => expect.poll(() => seen.text, { timeout: 30_000 }).toMatch(/^id: .+/m),
  }
}

const soon = { timeout: 30_000 }

describe("GET /api/v1/events (ours)", () => {
  it("tells what happens as it happens, each change as GET /changes shows it, until the client leaves", async () => {
    const list = await makeList(ann)
    const stream = follow(ann)
    await stream.begun()
    expect(stream.seen.text).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(stream.seen.text).toMatch(/content-type: text\/event-stream; charset=utf-8\r\n/i)
    expect(stream.seen.text).toMatch(/x-accel-buffering: no\r\n/i)
    const before = stream.cursor()
    const task = await makeTask(ann, list)
    await expect.poll(() => stream.of("task"), soon).toHaveLength(1)
    const { changes } = (await ann.get(`/changes?after=${before}`)).body
    expect(stream.changes()).toEqual(changes)
    expect(stream.of("task")[0]).toMatchObject({ id: task.id, operation: "upsert", data: { title: "Buy milk" } })
    stream.stop()
  })

  it("goes on behind Last-Event-ID and misses nothing", async () => {
    const list = await makeList(ann)
    const first = follow(ann)
    await first.begun()
    first.stop()
    const titles = ["one", "two", "three"]
    for (const title of titles) await makeTask(ann, list, { title })
    const next = follow(ann, "", { "Last-Event-ID": first.cursor() })
    await expect.poll(() => next.of("task").map(({ data }) => data.title), soon).toEqual(titles)
    next.stop()
  })

  it("tells of one list with list_id, and ends with it", async () => {
    const [list, other] = [await makeList(ann), await makeList(ann, "Other")]
    await addMember(node, list, bob)
    const stream = follow(bob, `?list_id=00${list.id}`)
    await stream.begun()
    await makeTask(ann, other)
    const task = await makeTask(ann, list)
    await expect.poll(() => stream.of("task").map(({ id }) => id), soon).toEqual([task.id])
    await ann.delete(`/lists/${list.id}?revision=${(await ann.get(`/lists/${list.id}`)).body.revision}`)
    await expect.poll(() => stream.seen.isOver, soon).toBe(true)
    expect(stream.changes().at(-1)).toMatchObject({ type: "list", id: list.id, operation: "delete" })
  })

  it("ends with its token, and tells nothing afterwards", async () => {
    const carl = await makePerson(node, "Carl")
    const list = await makeList(carl)
    await addMember(node, list, ann)
    const stream = follow(carl)
    await stream.begun()
    await node.database.prisma.accessToken.updateMany({
      where: { userId: BigInt(carl.id) },
      data: { revokedAt: new Date() },
    })
    await expect.poll(() => stream.seen.isOver, soon).toBe(true)
    await makeTask(ann, list)
    expect(stream.changes()).toEqual([])
  })

  it("ends when its node stops, and goes on at another", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const list = await makeList(ann)
    const stream = follow(ann, "", {}, other.url)
    await stream.begun()
    await Promise.all([other.stop(), expect.poll(() => stream.seen.isOver, soon).toBe(true)])
    const task = await makeTask(ann, list)
    const next = follow(ann, "", { "Last-Event-ID": stream.cursor() })
    await expect.poll(() => next.of("task").map(({ id }) => id), soon).toEqual([task.id])
    next.stop()
  })

  it("knows nobody by an address", async () => {
    const { clientId, token } = ann.credentials
    const stream = follow({ headers: {} }, `?client_id=${clientId}&access_token=${token}`)
    await expect.poll(() => stream.seen.isOver, soon).toBe(true)
    expect(stream.seen.text).toMatch(/^HTTP\/1.1 401 /)
  })

  it("counts with all other streams of a user, of which there are 100", async () => {
    const cid = await makePerson(node, "Cid")
    const ask = (path: string, body?: object) =>
      fetch(`${node.url}${path}`, {
        headers: { ...cid.headers, Accept: "text/event-stream", "Content-Type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      })
    const both = (at: number) =>
      at % 2 === 0 ? ask("/api/v1/events") : ask("/graphql", { query: "subscription { accountUpdated { id } }" })
    const open = await Promise.all(Array.from({ length: MAX_STREAMS }, (_, at) => both(at)))
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
    for (const at of [0, 1]) {
      const refused = await both(at)
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
      await refused.body?.cancel()
    }
    await open[0]?.body?.cancel()
    await expect
      .poll(async () => {
        const next = await both(0)
        open.push(next)
        return next.status
      }, soon)
      .toBe(200)
    await Promise.all(open.map(({ body }) => body?.cancel()))
    await expect.poll(() => node.status().eventStreams, soon).toBe(0)
  })

  it("cuts off who stops reading, whose place is kept by the cursor", async () => {
    const dan = await makePerson(node, "Dan")
    const task = await makeTask(dan, { id: dan.inboxId })
    const { cursor } = (await dan.get("/changes?after=now")).body
    const contents = Array.from({ length: 40 }, (_, at) => `${at}`.repeat(300_000 / `${at}`.length))
    for (const content of contents) await dan.post("/notes", { task_id: task.id, content })
    const socket = connect(Number(new URL(node.url).port), "127.0.0.1")
    let isOver = false
    socket.on("error", () => {}).on("close", () => (isOver = true))
    const sent = Object.entries({ ...dan.headers, "Last-Event-ID": cursor }).map(([name, value]) => `${name}: ${value}`)
    socket.pause().write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\n${sent.join("\r\n")}\r\n\r\n`)
    await expect.poll(() => node.status().eventStreams, soon).toBe(1)
    await expect.poll(() => node.status().eventStreams, { timeout: 40_000, interval: 200 }).toBe(0)
    socket.resume()
    await expect.poll(() => isOver, soon).toBe(true)
    const again = follow(dan, "", { "Last-Event-ID": cursor })
    await expect.poll(() => again.of("note").length, { timeout: 20_000, interval: 200 }).toBe(contents.length)
    again.stop()
  })

  it.each([
    ["no token", {}, "", {}, 401],
    ["a list that the viewer is not a member of", undefined, () => `?list_id=${bob.inboxId}`, {}, 404],
    ["a list that is none", undefined, "?list_id=x", {}, 404],
    ["a cursor that is none", undefined, "?after=nonsense", {}, 400],
    ["two places", undefined, "?after=now", { "Last-Event-ID": "another" }, 400],
  ] as const)("refuses %s before the stream begins", async (_, own, query, headers, status) => {
    const person = own ? { headers: own } : ann
    const stream = follow(person, typeof query === "function" ? query() : query, headers)
    await expect.poll(() => stream.seen.isOver, soon).toBe(true)
    expect(stream.seen.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(stream.seen.text).toMatch(/"type":"/)
  })
})

import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAX_STREAMS } from "../../src/events/carrier-limits.js"
import { createEventStreams } from "../../src/transports/http/event-stream.js"
import { scrape, seriesOf } from "../operations/exposition.js"
import { freePort } from "../support/free-port.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"
import { eventually, listenByEvents, quiet } from "./listener.js"

let node: TestNode
let ann: Person
let bob: Person
beforeAll(async () => {
  node = await startNode()
  ;[ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
})
afterAll(() => node.stop())

const LIST_UPDATED =
  "subscription ($id: ID!, $since: Int) { listUpdated(listId: $id, sinceRevision: $since) { subjectType } }"
const ACCOUNT_UPDATED = "subscription ($after: String) { accountUpdated(after: $after) { cursor subjectType } }"

/** Asks for a stream, by hand. */
const ask = (person: Person, body: unknown, headers: Record<string, string> = {}, url = node.url) =>
  fetch(`${url}/graphql`, {
    method: "POST",
    headers: {
      ...person.headers,
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...headers,
    },
    body: JSON.stringify(body),
  })

const jsonOf = async (response: Response): Promise<any> => response.json()

/** A stream that is being read: its events, and whether it is over. */
function read(response: Response) {
  const stream = { text: "", isOver: false, cancel: async () => {} }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  stream.cancel = () => reader.cancel()
  const decoder = new TextDecoder()
  void (async () => {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      stream.text += decoder.decode(value, { stream: true })
      if (done) break
    }
    stream.isOver = true
  })()
  const nexts = () =>
    [...stream.text.matchAll(/^event: next\n(?:id: (.+)\n)?data: (.+)\n\n/gm)].map(([, id, data]) => ({
      id,
      data: JSON.parse(data as string),
    }))
  return Object.assign(stream, { nexts })
}

describe("POST /graphql with Accept: text/event-stream", () => {
  it("answers queries and mutations with one event and the end, in the protocol's words", async () => {
    for (const query of ["{ viewer { name } }", 'mutation { createList(input: { title: "x" }) { title } }']) {
      const response = await ask(ann, { query })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "x-accel-buffering": "no",
      })
      const { data } = await jsonOf(await ask(ann, { query }, { Accept: "application/json" }))
      expect(await response.text()).toBe(
        `event: next\ndata: ${JSON.stringify({ data })}\n\nevent: complete\ndata: \n\n`,
      )
    }
  })

  it("tells of what is wrong with an operation in an event, and of all else as plain HTTP", async () => {
    const invalid = await ask(ann, { query: "subscription { nothing }" })
    expect(invalid.status).toBe(200)
    const text = await invalid.text()
    expect(text).toMatch(
      /^event: next\ndata: \{"errors":\[.*GRAPHQL_VALIDATION_FAILED.*\n\nevent: complete\ndata: \n\n$/,
    )
    const limit = await ask(ann, { query: LIST_UPDATED, variables: { id: ann.inboxId, since: "x" } })
    expect(await limit.text()).toContain("MISSING_PARAMETER")

    const stranger = { ...ann, headers: {} } as Person
    const refusals = await Promise.all([
      ask(stranger, { query: ACCOUNT_UPDATED }),
      ask(ann, {}),
      ask(ann, [{ query: "{ viewer { id } }" }]),
      ask(ann, { query: "{ viewer { id } }", operationName: 7 }),
      fetch(`${node.url}/graphql?query={viewer{id}}`, { headers: { ...ann.headers, Accept: "text/event-stream" } }),
    ])
    expect(refusals.map(({ status }) => status)).toEqual([401, 400, 400, 400, 405])
    for (const refusal of refusals) {
      expect(refusal.headers.get("content-type")).toBe("application/json; charset=utf-8")
      expect((await jsonOf(refusal)).errors).toHaveLength(1)
    }
  })

  it("gives each event its cursor, and goes on behind Last-Event-ID as behind `after`", async () => {
    const first = await ask(ann, { query: ACCOUNT_UPDATED })
    expect(first.headers.get("connection")).toBe("close")
    expect(first.headers.get("keep-alive")).toBeNull()
    const heard = read(first)
    const kinds = () => heard.nexts().map(({ data }) => data.data.accountUpdated.subjectType)
    const set = () => ann.post("/settings", { key: `k${Math.random()}`, value: "v" })
    // The first that it hears shows that it has begun; of those it was told the task is the last.
    await eventually(async () => (await set()) && kinds().length > 0)
    await makeTask(ann, { id: ann.inboxId })
    await eventually(() => kinds().at(-1) === "task")
    await set()
    await eventually(() => kinds().at(-1) === "setting")
    const [one, two] = heard.nexts().slice(-2)
    for (const { id, data } of [one, two] as { id: string; data: any }[])
      expect(data.data.accountUpdated.cursor).toBe(id)
    await heard.cancel()

    for (const [after, lastId] of [
      [undefined, one?.id],
      [one?.id, undefined],
      [one?.id, one?.id],
    ]) {
      const again = read(
        await ask(
          ann,
          { query: ACCOUNT_UPDATED, variables: { after } },
          lastId === undefined ? {} : { "Last-Event-ID": lastId },
        ),
      )
      await eventually(() => again.nexts().length === 1)
      // The last event of a replay has the cursor of this moment.
      const [{ id, data }] = again.nexts() as [{ id: string; data: any }]
      expect(data.data.accountUpdated).toEqual({ ...(two as { data: any }).data.data.accountUpdated, cursor: id })
      await again.cancel()
    }
    const torn = await ask(
      ann,
      { query: ACCOUNT_UPDATED, variables: { after: two?.id } },
      { "Last-Event-ID": one?.id ?? "" },
    )
    expect([torn.status, (await jsonOf(torn)).errors[0].extensions]).toEqual([
      400,
      { code: "BAD_REQUEST", fields: { after: ["must be the same as Last-Event-ID, or left out"] } },
    ])
    const others = await ask(bob, { query: ACCOUNT_UPDATED }, { "Last-Event-ID": one?.id ?? "" })
    expect(await others.text()).toMatch(/event: next\ndata: \{"errors":.*BAD_REQUEST.*\n\nevent: complete/)
  })

  it("serves as many streams to a user as they may have, and one more when one of them has ended", async () => {
    const cid = await makePerson(node, "Cid")
    const query = "subscription { reminderDue { id } }"
    const open = await Promise.all(Array.from({ length: MAX_STREAMS }, () => ask(cid, { query })))
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await ask(cid, { query })
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"])
    expect((await jsonOf(refused)).errors[0].extensions.code).toBe("RATE_LIMITED")
    expect((await cid.get("/user")).status).toBe(200)
    const metrics = await scrape(node.url)
    expect(seriesOf(metrics, "tandem_subscriptions", { protocol: "sse" })).toBe(MAX_STREAMS)
    expect(seriesOf(metrics, "tandem_sockets", { protocol: "sse" })).toBe(MAX_STREAMS)
    await open[0]?.body?.cancel()
    await eventually(() => node.status().eventStreams < MAX_STREAMS)
    const next = await ask(cid, { query })
    expect(next.status).toBe(200)
    await Promise.all([next, ...open.slice(1)].map(({ body }) => body?.cancel()))
    await eventually(() => node.status().eventStreams === 0 && node.status().subscribers === 0)
  })

  it("is over within 5 s when its token has ended, and nothing comes after a second", async () => {
    const eve = await makePerson(node, "Eve")
    const list = await makeList(eve)
    const stream = read(await ask(eve, { query: LIST_UPDATED, variables: { id: list.id, since: 0 } }))
    await eventually(() => stream.nexts().length === 1)
    await runSql(node.databaseUrl, `update access_tokens set revoked_at = now() where user_id = ${eve.id}`)
    await quiet(1_000)
    await runSql(node.databaseUrl, `update lists set title = 'After', updated_by_id = owner_id where id = ${list.id}`)
    await eventually(() => stream.isOver)
    expect(stream.nexts()).toHaveLength(1)
    expect(stream.text).not.toContain("complete")
    expect((await ask(eve, { query: ACCOUNT_UPDATED })).status).toBe(401)
  })

  it("completes when the viewer loses the list", async () => {
    const list = await makeList(ann)
    const id = await addMember(node, list, bob)
    const { revision } = (await ann.get(`/lists/${list.id}`)).body
    const stream = read(await ask(bob, { query: LIST_UPDATED, variables: { id: list.id, since: revision } }))
    await makeTask(ann, list)
    await eventually(() => stream.nexts().length === 1)
    await ann.delete(`/memberships/${id}?revision=1`)
    await eventually(() => stream.isOver)
    expect(stream.text).toMatch(/event: complete\ndata: \n\n$/)
    expect(stream.nexts()).toHaveLength(1)
    const closed = await ask(bob, { query: LIST_UPDATED, variables: { id: list.id } })
    expect(await closed.text()).toMatch(/NOT_FOUND.*\n\nevent: complete/)
  })

  it("cuts off who stops reading, whose place is kept by the cursor", async () => {
    const dan = await makePerson(node, "Dan")
    const task = await makeTask(dan, { id: dan.inboxId })
    const { port } = new URL(node.url)
    const body = JSON.stringify({ query: "subscription { accountUpdated { after } }" })
    const socket = connect(Number(port), "127.0.0.1")
    let isOver = false
    socket
      .on("error", () => {})
      .on("close", () => {
        isOver = true
      })
    const { "X-Client-ID": clientId, "X-Access-Token": token } = dan.headers
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: x\r\nX-Client-ID: ${clientId}\r\nX-Access-Token: ${token}\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await new Promise((resolve) => socket.once("data", resolve))
    socket.pause()
    await quiet(200)
    let note = (await dan.post("/notes", { task_id: task.id, content: "" })).body
    for (let n = 0; n < 60 && node.status().eventStreams > 0; n++)
      note = (
        await dan.patch(`/notes/${note.id}`, {
          revision: note.revision,
          content: `${n}`.repeat(300_000 / `${n}`.length),
        })
      ).body
    await eventually(() => node.status().eventStreams === 0)
    socket.resume()
    await eventually(() => isOver)
  }, 60_000)

  it("ends when its node stops, for the client to go on at another", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const stream = read(await ask(ann, { query: ACCOUNT_UPDATED }, {}, other.url))
    await eventually(() => stream.text !== "")
    await other.stop()
    await eventually(() => stream.isOver)
    expect(stream.text).toBe(":\n\n")
  })

  it("is used by curl -N as it stands", async () => {
    const list = await makeList(ann)
    const curl = spawn("curl", [
      ...["-sN", `${node.url}/graphql`, "-H", "Accept: text/event-stream", "-H", "Content-Type: application/json"],
      ...Object.entries(ann.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
      ...["-d", JSON.stringify({ query: LIST_UPDATED, variables: { id: list.id, since: 0 } })],
    ])
    let text = ""
    curl.stdout.on("data", (chunk: Buffer) => (text += chunk))
    await eventually(() => text.includes('data: {"data":{"listUpdated":{"subjectType":"list"}}}\n\n'))
    curl.kill()
  })
})

describe("a silent stream", () => {
  it("carries a comment from time to time", async () => {
    const viewer = {
      userId: "1",
      tokenId: "1",
      applicationId: "1",
      clientId: "x",
      dialect: "spec",
      scopes: new Set<never>(),
    } as const
    const streams = createEventStreams({
      authenticate: () => viewer,
      live: { watchToken: () => () => {} },
      signOfLifeMs: 20,
    })
    const server = createServer(
      (request, response) => void streams.begin(request, response, { needs: [], onEnd() {} }),
    ).listen(0)
    const { port } = server.address() as AddressInfo
    const stream = read(await fetch(`http://127.0.0.1:${port}/`))
    await eventually(() => stream.text.length >= 9)
    expect(stream.text).toMatch(/^(:\n\n)+$/)
    streams.stop()
    await eventually(() => stream.isOver)
    server.close()
  })
})

const hasNginx = spawnSync("nginx", ["-v"]).status === 0

describe.skipIf(!hasNginx)("behind nginx as it comes, which buffers answers", () => {
  it("reaches the client within a second", async () => {
    const port = await freePort()
    const folder = mkdtempSync(join(tmpdir(), "tandem-nginx-"))
    writeFileSync(
      join(folder, "nginx.conf"),
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; events {}
http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server { listen 127.0.0.1:${port}; location / { proxy_pass ${node.url}; } } }`,
    )
    const nginx = spawn("nginx", ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")])
    try {
      await eventually(() =>
        fetch(`http://127.0.0.1:${port}/api/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      const list = await makeList(ann)
      const listener = listenByEvents(ann, `http://127.0.0.1:${port}`)
      const heard = listener.listUpdated(list.id, 0)
      await heard.until((events) => events.length === 1)
      await makeTask(ann, list)
      await heard.until((events) => events.length === 2, 1_000)
      await listener.close()
    } finally {
      nginx.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

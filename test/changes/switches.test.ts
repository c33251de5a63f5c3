import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listen } from "../live/listener.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { copyOf } from "./copy.js"

const TURNS = 1_000
const ACCOUNT_UPDATED =
  "subscription ($after: String) { accountUpdated(after: $after) { cursor subjectType subjectId revision } }"

let node: TestNode
let other: Awaited<ReturnType<typeof startNodeOn>>
beforeAll(async () => {
  node = await startNode()
  other = await startNodeOn(node.databaseUrl)
})
afterAll(async () => {
  await other.stop()
  await node.stop()
})

type Told = { readonly type: string; readonly id: unknown; readonly revision: unknown }
/** What one way has told, and where it has come. */
type Heard = { readonly told: readonly Told[]; readonly cursor: string }

/** Hears a stream of server-sent events for a while; only what came whole counts. */
async function hear(address: string, init: RequestInit, forMs: number): Promise<string[]> {
  const control = new AbortController()
  let text = ""
  const timer = setTimeout(() => control.abort(), forMs)
  try {
    const response = await fetch(address, { ...init, signal: control.signal })
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk)
  } catch (error) {
    if (!control.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
  }
  return text.split("\n\n").slice(0, -1)
}
const lineOf = (event: string, name: string): string | undefined => new RegExp(`^${name}: (.+)$`, "m").exec(event)?.[1]

const ways: readonly ((ann: Person, cursor: string, url: string, turn: number) => Promise<Heard>)[] = [
  async function changes(ann, cursor, url, turn) {
    const reply = await fetch(`${url}/api/v1/changes?after=${cursor}&limit=${1 + (turn % 7)}`, { headers: ann.headers })
    const page = (await reply.json()) as { changes: Told[]; cursor: string }
    return { told: page.changes, cursor: page.cursor }
  },
  async function socket(ann, cursor, url, turn) {
    const listener = listen(ann, url)
    const listening = listener.accountUpdated(cursor, "cursor subjectType subjectId revision")
    await sleep(30 + (turn % 30))
    listener.cut()
    const told = listening.events.map(({ subjectType, subjectId, revision }) => ({
      ...{ type: subjectType, id: subjectId, revision },
    }))
    return { told, cursor: listening.events.at(-1)?.cursor ?? cursor }
  },
  async function subscriptionByEvents(ann, cursor, url, turn) {
    const headers = { ...ann.headers, "Content-Type": "application/json", Accept: "text/event-stream" }
    const init = { method: "POST", headers: { ...headers, "Last-Event-ID": cursor } }
    const body = JSON.stringify({ query: ACCOUNT_UPDATED })
    const events = (await hear(`${url}/graphql`, { ...init, body }, 30 + (turn % 30))).filter((one) =>
      lineOf(one, "id"),
    )
    const told = events.map((one) => {
      const { subjectType, subjectId, revision } = JSON.parse(lineOf(one, "data") as string).data.accountUpdated
      return { type: subjectType, id: subjectId, revision }
    })
    return { told, cursor: lineOf(events.at(-1) ?? "", "id") ?? cursor }
  },
  async function events(ann, cursor, url, turn) {
    const headers = { ...ann.headers, "Last-Event-ID": cursor }
    const all = await hear(`${url}/api/v1/events`, { headers }, 30 + (turn % 30))
    // Those that were read together are known when the last of them has come, which has the id.
    const known = all.slice(0, all.findLastIndex((one) => lineOf(one, "id") !== undefined) + 1)
    const told = known.flatMap((one) => JSON.parse(lineOf(one, "data") ?? "[]") as Told | Told[])
    return { told, cursor: lineOf(known.at(-1) ?? "", "id") ?? cursor }
  },
]

describe("one cursor (ours)", () => {
  it(`goes ${TURNS} times from one way to another, and from node to node: nothing missing, nothing twice`, async () => {
    const ann = await makePerson(node)
    const list = await makeList(ann)
    let cursor = (await ann.get("/root")).body.cursor as string
    const told: string[] = []
    // A list's revision grows with all that is in it, and only changes show it.
    const take = (all: readonly Told[]) => {
      for (const { type, id, revision } of all) if (type !== "list") told.push(`${type} ${id} ${revision}`)
    }
    let isOver = false
    let made = 0
    const writing = (async () => {
      for (; !isOver; made++) {
        await makeTask(ann, list)
        await sleep(15)
      }
    })()
    const byWay = ways.map(() => 0)
    for (let turn = 0; turn < TURNS; turn++) {
      const way = (turn * 7 + Math.floor(turn / 4)) % ways.length
      const heard = await (ways[way] as (typeof ways)[0])(ann, cursor, turn % 3 === 0 ? other.url : node.url, turn)
      byWay[way] = (byWay[way] as number) + heard.told.length
      take(heard.told)
      cursor = heard.cursor
    }
    isOver = true
    await writing
    const copy = copyOf(ann)
    copy.cursor = cursor
    take(await copy.level())
    expect(new Set(told).size).toBe(told.length)
    expect(told.length).toBe(made)
    expect(Math.min(...byWay)).toBeGreaterThan(0)
  }, 300_000)
})

import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { glance } from "../../src/changes/glance.statement.js"
import { historyOfList } from "../../src/changes/history.statement.js"
import { pageOfChanges } from "../../src/changes/page.statement.js"
import { walkFrom } from "../../src/changes/walk.statement.js"
import { eventsBehindCursor, placeNow } from "../../src/events/account-replay.js"
import { valuesOf } from "../../src/events/behind.js"
import type { Cursor } from "../../src/events/cursor.js"
import { eventsSince, placeOfCursor } from "../../src/events/list-replay.js"
import { poll } from "../../src/events/tail.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

const EVENTS = 50_000
/** What statements may read of them for some 30 events that are news. */
const MAX_READ = 2_000

type Plan = {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: readonly Plan[]
}

let node: TestNode
let client: pg.Client
let ann: Person
let list: { id: number }
let before: Cursor
let now: Cursor

/** Old events, nearly all of them others': of 2,000 lists, of users alone, memberships and deleted lists among them. */
const GENERATE = `
  insert into events (xid, list_id, list_revision, user_id, operation, subject_type, subject_id, revision, actor_id, occurred_at, before, after)
  select (4 + n::bigint * (c.xid - 10) / ${EVENTS})::text::xid8,
    case when n % 10 > 0 then 1000000 + n % 2000 end, case when n % 10 > 0 then 10 + n / 2000 end, case when n % 10 = 0 then 1000000 + n % 500 end,
    case when n % 97 = 0 then 'DELETE' when n % 5 = 0 then 'CREATE' else 'UPDATE' end,
    case when n % 10 = 0 then (array['setting', 'reminder', 'user', 'folder'])[1 + n / 10 % 4] when n % 97 = 0 then 'list' when n % 31 = 0 then 'membership' else 'task' end,
    n, 1, 1000000, now() - interval '20 days' + n * interval '5 s',
    case when n % 97 = 0 then jsonb_build_object('id', n, 'member_ids', jsonb_build_array(1000000 + n % 500)) end,
    jsonb_build_object('id', n, 'title', 'Task ' || n, 'user_id', 1000000 + n % 500, 'state', 'accepted')
  from (select pg_current_xact_id()::text::bigint as xid) c, generate_series(1, ${EVENTS}) n`

beforeAll(async () => {
  node = await startNode()
  client = new pg.Client({ connectionString: node.databaseUrl })
  await client.connect()
  await client.query(GENERATE)
  ann = await makePerson(node)
  const bob = await makePerson(node, "Bob")
  list = await makeList(ann)
  await addMember(node, list, bob)
  ;[before] = (await node.database.run(placeNow, [])) as [Cursor]
  for (let n = 0; n < 10; n++) {
    await makeTask(bob, list)
    await ann.post("/settings", { key: `k${n}`, value: "v" })
    await makeTask(bob, { id: bob.inboxId })
  }
  ;[now] = (await node.database.run(placeNow, [])) as [Cursor]
  await client.query("vacuum analyze events")
  await client.query("analyze lists, memberships, tasks")
}, 120_000)
afterAll(async () => {
  await client.end()
  await node.stop()
})

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return "null"
  return client.escapeLiteral(Array.isArray(value) ? `{${value.join(",")}}` : String(value))
}

/** How a statement is run, with what it really reads. */
async function planOf(text: string, values: readonly unknown[], mode: string): Promise<Plan> {
  await client.query(`set plan_cache_mode = ${mode}; set jit = off`)
  await client.query(`prepare asked as ${text}`)
  const given = values.length > 0 ? `(${values.map(literal).join(", ")})` : ""
  const { rows } = await client.query(`explain (analyze, timing off, format json) execute asked${given}`)
  await client.query("deallocate asked")
  return rows[0]["QUERY PLAN"][0].Plan
}

const partsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)]

/** How many events a part of a plan has looked at. */
const readBy = (part: Plan): number =>
  ((part["Actual Rows"] ?? 0) + (part["Rows Removed by Filter"] ?? 0) + (part["Rows Removed by Index Recheck"] ?? 0)) *
  (part["Actual Loops"] ?? 0)

describe.each(["force_generic_plan", "force_custom_plan"])(`of ${EVENTS} events, by a %s`, (mode) => {
  it.each([
    ["the poll of a node, with news", () => [poll.text, [before.after]]],
    ["the poll of a node, without", () => [poll.text, [now.after]]],
    ["the place of now", () => [placeNow.text, []]],
    ["a glance at changes, with news", () => [glance.text, [...valuesOf(String(ann.id), before), null]]],
    ["a glance at changes, without", () => [glance.text, [...valuesOf(String(ann.id), now), null]]],
    ["a page of changes", () => [pageOfChanges.text, [...valuesOf(String(ann.id), before), null, 500, -1]]],
    [
      "the whole account",
      () => [walkFrom(0).text, [null, ann.id, null, null, null, null, null, [], 501, 0, 0, 0]] as [string, unknown[]],
    ],
    [
      "what lies in tasks of the whole account",
      () => [walkFrom(9).text, [null, ann.id, null, null, null, null, null, [], 501, 9, 0, 0]] as [string, unknown[]],
    ],
    [
      "a subscription to the account behind a cursor",
      () => {
        const [{ text }, values] = eventsBehindCursor(String(ann.id), before)
        return [text, values]
      },
    ],
    ["a subscription to a list behind a revision", () => [eventsSince.text, [list.id, ann.id, 5, null]]],
    [
      "a subscription to a list behind a cursor",
      () => {
        const [{ text }, values] = placeOfCursor(String(list.id), String(ann.id), before)
        return [text, values]
      },
    ],
    ["the history of a list", () => [historyOfList.text, [list.id, ann.id, null, 50]]],
  ] as [string, () => [string, unknown[]]][])("%s reads what it needs by an index", async (_, statement) => {
    const parts = partsOf(await planOf(...statement(), mode)).filter((part) => part["Relation Name"] === "events")
    expect(parts).not.toEqual([])
    expect(parts.filter((part) => part["Node Type"] === "Seq Scan" && (part["Actual Loops"] ?? 0) > 0)).toEqual([])
    expect(parts.reduce((sum, part) => sum + readBy(part), 0)).toBeLessThan(MAX_READ)
  })
})

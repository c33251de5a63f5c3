import pg from "pg"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"
import { ALONE_TIMEOUT_MS, runSql, untilAlone } from "../support/postgres.js"
import { makeFile } from "../support/uploads.js"
import { eventually, listen, PATIENCE_MS } from "./listener.js"

let node: TestNode
let ann: Person
let bob: Person
beforeAll(async () => {
  node = await startNode()
  ;[ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
})
afterAll(() => node.stop())

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const LIST_UPDATED =
  "subscription ($id: ID!, $since: Int) { listUpdated(listId: $id, sinceRevision: $since) { listRevision } }"
const FILE_CREATED = "subscription ($id: ID) { fileCreated(listId: $id) { fileName } }"

type Told = { readonly id: string | undefined; readonly value: any }

/** One stream of server-sent events, begun behind the id of an event. */
async function follow(
  person: Person,
  query: string,
  variables: Record<string, unknown>,
  lastId?: string,
  url = node.url,
) {
  const control = new AbortController()
  open.push(() => control.abort())
  const response = await fetch(`${url}/graphql`, {
    method: "POST",
    headers: {
      ...person.headers,
      "Content-Type": "application/json",
      Accept: "text/event-stream",
      ...(lastId !== undefined && { "Last-Event-ID": lastId }),
    },
    body: JSON.stringify({ query, variables }),
    signal: control.signal,
  })
  let text = ""
  const reading = (async () => {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk)
  })().catch(() => {})
  const told = (): Told[] =>
    [...text.matchAll(/^event: next\n(?:id: (.+)\n)?data: (.+)\n\n/gm)].map(([, id, data]) => ({
      id,
      value: Object.values(JSON.parse(data as string).data ?? {})[0],
    }))
  return {
    status: response.status,
    told,
    revisions: () => told().map(({ value }) => value.listRevision),
    names: () => told().map(({ value }) => value.fileName),
    until: (isDone: (told: Told[]) => boolean) =>
      eventually(
        () => isDone(told()),
        PATIENCE_MS,
        () => text,
      ),
    /** The code of the error that ended it. */
    async code() {
      await reading
      return /"code":"(\w+)"/.exec(text)?.[1]
    },
    stop: () => control.abort(),
  }
}
/** Deletes all that had happened up to the last event, or the last of which something is so, as the retention does. */
async function forget(which = ""): Promise<void> {
  await runSql(
    node.databaseUrl,
    `update histories set (deleted_id, deleted_at, deleted_xid) = (select id, occurred_at, xid from events ${which} order by id desc limit 1);
     delete from events where id <= (select max(deleted_id) from histories)`,
  )
  await untilAlone(node.databaseUrl)
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const revisionOf = async (list: { id: number }) => (await ann.get(`/lists/${list.id}`)).body.revision as number

describe("listUpdated over server-sent events, begun behind Last-Event-ID", () => {
  it("goes on behind each event, one of a replay and one of now, whatever revision was asked for at first", async () => {
    const list = await makeList(ann)
    for (let n = 0; n < 3; n++) await makeTask(ann, list)
    const first = await follow(ann, LIST_UPDATED, { id: list.id, since: 0 })
    await first.until((told) => told.length === 4)
    for (let n = 0; n < 3; n++) await makeTask(ann, list)
    await first.until((told) => told.length === 7)
    first.stop()
    expect(first.revisions()).toEqual(range(1, 7))
    await makeTask(ann, list)
    for (const since of [0, undefined, 6])
      for (const { id, value } of first.told()) {
        const next = await follow(ann, LIST_UPDATED, { id: list.id, since }, id as string)
        const missed = range(value.listRevision + 1, 8)
        await next.until((told) => told.length >= missed.length)
        expect(next.revisions()).toEqual(missed)
        next.stop()
      }
  })

  it("misses none and repeats none when it is cut again and again, and goes from node to node, under writers", async () => {
    const other = await startNodeOn(node.databaseUrl)
    const list = await makeList(ann)
    const writers = [0, 1, 2].map(async () => {
      for (let n = 0; n < 20; n++) await makeTask(ann, list)
    })
    const seen: number[] = []
    let lastId: string | undefined
    for (let turn = 0; seen.at(-1) !== 61; turn++) {
      const url = turn % 2 === 0 ? node.url : other.url
      const stream = await follow(ann, LIST_UPDATED, { id: list.id, since: 0 }, lastId, url)
      await stream.until((told) => told.length > 0)
      stream.stop()
      const told = stream.told()
      seen.push(...told.map(({ value }) => value.listRevision))
      lastId = told.at(-1)?.id
    }
    await Promise.all(writers)
    expect(seen).toEqual(range(1, 61))
    await other.stop()
  })

  it("misses nothing that an older transaction writes later", async () => {
    const list = await makeList(ann)
    const slow = new pg.Client({ connectionString: node.databaseUrl })
    await slow.connect()
    await slow.query("begin")
    await slow.query("select pg_current_xact_id()")
    for (let n = 0; n < 2; n++) await makeTask(ann, list)
    const first = await follow(ann, LIST_UPDATED, { id: list.id, since: 0 })
    await first.until((told) => told.length === 3)
    first.stop()
    await slow.query("update lists set title = 'Late', updated_by_id = owner_id where id = $1", [list.id])
    await slow.query("commit")
    await slow.end()
    for (const { id, value } of first.told()) {
      const next = await follow(ann, LIST_UPDATED, { id: list.id, since: 0 }, id as string)
      await next.until((told) => told.at(-1)?.value.listRevision === 4)
      expect(next.revisions()).toEqual(range(value.listRevision + 1, 4))
      next.stop()
    }
  })

  it("takes the cursor of every other way, and gives one to them", async () => {
    const list = await makeList(ann)
    const { cursor } = (await ann.get("/changes?after=now")).body
    const task = await makeTask(ann, list)
    const stream = await follow(ann, LIST_UPDATED, { id: list.id }, cursor)
    await stream.until((told) => told.length === 1)
    const [{ id }] = stream.told() as [Told]
    const second = await makeTask(ann, list)
    const { changes } = (await ann.get(`/changes?after=${id}`)).body
    const tasks = changes.filter(({ type }: any) => type === "task").map((change: any) => change.id)
    expect(tasks).toEqual([second.id])
    const listener = listen(ann)
    const account = listener.accountUpdated(id)
    await account.until((events) => events.length === 1)
    expect(account.events.map(({ subjectId }) => Number(subjectId))).toEqual([second.id])
    expect(task.id).not.toBe(second.id)
    await listener.close()
  })

  it("asks to read the list again when it was opened later, and refuses what is no cursor of the viewer's", async () => {
    const list = await makeList(ann)
    const { cursor } = (await bob.get("/changes?after=now")).body
    const refused = async (lastId: string, person = bob) =>
      (await follow(person, LIST_UPDATED, { id: list.id }, lastId)).code()
    expect(await refused(cursor)).toBe("NOT_FOUND")
    const id = await addMember(node, list, bob)
    const joined = await revisionOf(list)
    await ann.delete(`/memberships/${id}?revision=1`)
    await makeTask(ann, list, { title: "Not for Bob" })
    await addMember(node, list, bob)
    await makeTask(ann, list)
    expect(await refused(cursor)).toBe("RESYNC_REQUIRED")
    const now = (await bob.get("/changes?after=now")).body.cursor
    await makeTask(ann, list)
    const stream = await follow(bob, LIST_UPDATED, { id: list.id }, now)
    await stream.until((told) => told.length === 1)
    expect(stream.revisions()).toEqual([joined + 5])
    expect(await refused(now, ann)).toBe("BAD_REQUEST")
    expect(await refused(`${now.slice(0, -1)}${now.endsWith("A") ? "B" : "A"}`)).toBe("BAD_REQUEST")
    const page = (await bob.get("/changes?limit=1")).body
    expect([page.has_more, await refused(page.cursor)]).toEqual([true, "BAD_REQUEST"])
  })

  it(
    "asks to read the list again when the log does not reach back to it",
    async () => {
      const cid = await makePerson(node, "Cid")
      const list = await makeList(cid)
      const { cursor } = (await cid.get("/changes?after=now")).body
      await makeTask(cid, list)
      await forget()
      expect(await (await follow(cid, LIST_UPDATED, { id: list.id }, cursor)).code()).toBe("RESYNC_REQUIRED")
    },
    ALONE_TIMEOUT_MS,
  )

  it(
    "goes on for 30 days after an id was given, however old its event was",
    async () => {
      const dan = await makePerson(node, "Dan")
      const list = await makeList(dan)
      await untilAlone(node.databaseUrl)
      const first = await follow(dan, LIST_UPDATED, { id: list.id, since: 0 })
      await first.until((told) => told.length === 1)
      first.stop()
      await makeTask(ann, { id: ann.inboxId })
      await forget(`where list_id = ${list.id}`)
      await makeTask(dan, list)
      const next = await follow(dan, LIST_UPDATED, { id: list.id }, first.told()[0]?.id as string)
      await next.until((told) => told.length === 1)
      expect(next.revisions()).toEqual([2])
    },
    ALONE_TIMEOUT_MS,
  )
})

describe("fileCreated over server-sent events, begun behind Last-Event-ID", () => {
  it("tells of the files that others have attached since, in one list and in all", async () => {
    const list = await makeList(ann)
    await addMember(node, list, bob)
    const task = await makeTask(ann, list)
    const attach = (name: string, by = ann) => makeFile(by, task, Buffer.from("x"), { file_name: name })
    for (const id of [list.id, undefined]) {
      const first = await follow(bob, FILE_CREATED, { id }, (await bob.get("/changes?after=now")).body.cursor)
      await attach("one")
      await attach("two")
      await first.until((told) => told.length === 2)
      first.stop()
      await attach("own", bob)
      await attach("three")
      await makeTask(ann, list)
      const [one, two] = first.told() as [Told, Told]
      const [behindOne, behindTwo] = await Promise.all(
        [one, two].map((told) => follow(bob, FILE_CREATED, { id }, told.id as string)),
      )
      await behindOne?.until((told) => told.length === 2)
      await behindTwo?.until((told) => told.length === 1)
      await attach("now")
      for (const [next, names] of [
        [behindOne, ["two", "three", "now"]],
        [behindTwo, ["three", "now"]],
      ] as const) {
        await next?.until((told) => told.length >= names.length)
        expect(next?.names()).toEqual(names)
        next?.stop()
      }
    }
  })
})

describe("reminderDue over server-sent events, begun behind Last-Event-ID", () => {
  const REMINDER_DUE = "subscription { reminderDue { id } }"
  const later = () => new Date(Date.now() + 3_600_000).toISOString()

  it("goes on behind each reminder, tells of those that fell due meanwhile and then of those of now, and of nobody else's", async () => {
    const list = await makeList(ann)
    await addMember(node, list, bob)
    const remind = async (person: Person): Promise<string> => {
      const task = await makeTask(ann, list)
      const reminder = (await person.post("/reminders", { task_id: task.id, date: later() })).body[0]
      return String(reminder.id)
    }
    const fallDue = (id: string) => runSql(node.databaseUrl, `update reminders set date = now() where id = ${id}`)
    const [first, witness] = [await follow(ann, REMINDER_DUE, {}), await follow(ann, REMINDER_DUE, {})]
    const ids: string[] = []
    for (let n = 0; n < 2; n++) {
      ids.push(await remind(ann))
      await fallDue(ids[n] as string)
      await first.until((told) => told.length === n + 1)
    }
    first.stop()
    await fallDue(await remind(bob))
    ids.push(await remind(ann))
    await fallDue(ids[2] as string)
    await witness.until((told) => told.length === 3)
    for (const { id, value } of first.told()) {
      const next = await follow(ann, REMINDER_DUE, {}, id as string)
      const missed = ids.slice(ids.indexOf(value.id) + 1)
      await next.until((told) => told.length >= missed.length)
      const now = await remind(ann)
      await fallDue(now)
      await next.until((told) => told.length > missed.length)
      expect(next.told().map(({ value: { id } }) => id)).toEqual([...missed, now])
      next.stop()
      ids.push(now)
    }
  })

  it(
    "asks to read again behind what is not kept, refuses what is no cursor of the viewer's, and tells nothing",
    async () => {
      const eve = await makePerson(node, "Eve")
      const placeOf = async (person: Person) => (await person.get("/changes?after=now")).body.cursor as string
      const refused = async (lastId: string) => {
        const stream = await follow(eve, REMINDER_DUE, {}, lastId)
        const code = await stream.code()
        return [code, stream.told().filter(({ value }) => value !== undefined)]
      }
      const [lost, others] = [await placeOf(eve), await placeOf(ann)]
      const task = await makeTask(eve, { id: eve.inboxId })
      await forget()
      expect(await refused(lost)).toEqual(["RESYNC_REQUIRED", []])
      expect(await refused(others)).toEqual(["BAD_REQUEST", []])
      expect(await refused(`${lost.slice(0, -4)}AAAA`)).toEqual(["BAD_REQUEST", []])
      const next = await follow(eve, REMINDER_DUE, {}, await placeOf(eve))
      const [reminder] = (await eve.post("/reminders", { task_id: task.id, date: new Date().toISOString() })).body
      await next.until((told) => told.length === 1)
      expect(next.told().map(({ value }) => value.id)).toEqual([String(reminder.id)])
      next.stop()
    },
    ALONE_TIMEOUT_MS,
  )
})

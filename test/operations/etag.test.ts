import { get } from "node:http"
import { beforeAll, describe, expect, it } from "vitest"
import { openTags } from "../../src/transports/rest/etag.js"
import { routes } from "../../src/transports/rest/routes.js"
import { makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let ann: Person
let bob: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
  bob = await makePerson(node, "Bob")
})

const tagOf = (reply: { headers: Headers }): string => reply.headers.get("etag") ?? ""
const whenNot = (tag: string) => ({ "If-None-Match": tag })

describe("If-None-Match", () => {
  it("answers 304 without a body while nothing has changed, and the whole answer once something has", async () => {
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    for (const path of [`/tasks/${task.id}`, `/tasks?list_id=${list.id}`, "/root", "/lists"]) {
      const first = await ann.get(path)
      expect(first.status).toBe(200)
      expect(tagOf(first)).toMatch(/^W\/"[\w-]+"$/)
      const second = await ann.get(path, whenNot(tagOf(first)))
      expect(second).toMatchObject({ status: 304, text: "" })
      expect(tagOf(second)).toBe(tagOf(first))
      await ann.patch(`/tasks/${task.id}`, {
        revision: (await ann.get(`/tasks/${task.id}`)).body.revision,
        starred: true,
      })
      await ann.patch(`/tasks/${task.id}`, {
        revision: (await ann.get(`/tasks/${task.id}`)).body.revision,
        starred: false,
      })
      const third = await ann.get(path, whenNot(tagOf(first)))
      expect(third.status).toBe(path === "/root" || path.startsWith("/tasks") ? 200 : third.status)
      expect(third.status === 304).toBe(third.text === "")
    }
  })

  it("takes a list of tags, weak or strong, and *; a tag of something else does not match", async () => {
    const path = `/lists/${ann.inboxId}`
    const tag = tagOf(await ann.get(path))
    const matching = [tag, tag.slice(2), `"x", ${tag}`, `W/"a,b" ,${tag.slice(2)}`, "*", " * "]
    for (const sent of matching) expect((await ann.get(path, whenNot(sent))).status, sent).toBe(304)
    for (const sent of ['""', '"x"', "x", tag.slice(3, -1), `"${tag}`, "W/*", ""])
      expect((await ann.get(path, whenNot(sent))).status, sent).toBe(200)
  })

  it("says nothing of what is not there or not the viewer's, and is no business of writes", async () => {
    const list = await makeList(ann)
    expect((await bob.get(`/lists/${list.id}`, whenNot("*"))).status).toBe(404)
    expect((await ann.get("/tasks?list_id=999999999", whenNot("*"))).status).toBe(404)
    expect((await ann.get("/tasks", whenNot("*"))).status).toBe(400)
    const stranger = await fetch(`${node.url}/api/v1/lists`, { headers: whenNot("*") })
    expect(stranger.status).toBe(401)
    expect(stranger.headers.get("etag")).toBeNull()
    expect((await ann.post("/lists", { title: "New" }, whenNot("*"))).status).toBe(201)
  })

  it("may be sent and read by pages of any origin, and no cache keeps an answer for another person", async () => {
    const reply = await ann.get("/lists")
    expect(reply.headers.get("access-control-expose-headers")).toContain("ETag")
    expect(reply.headers.get("cache-control")).toBe("private, no-cache")
    expect(reply.headers.get("vary")).toBe("X-Client-ID, X-Access-Token, Authorization")
    const preflight = await fetch(`${node.url}/api/v1/lists`, { method: "OPTIONS" })
    expect(preflight.headers.get("access-control-allow-headers")).toContain("If-None-Match")
  })

  it("has an answer to HEAD too", async () => {
    const tag = tagOf(await ann.get("/lists"))
    const status = (headers: Record<string, string>): Promise<unknown> =>
      new Promise((resolve, reject) =>
        get(`${node.url}/api/v1/lists`, { method: "HEAD", headers: { ...ann.headers, ...headers } }, (response) => {
          response.resume()
          resolve([response.statusCode, response.headers.etag])
        }).on("error", reject),
      )
    expect(await status({})).toEqual([200, tag])
    expect(await status(whenNot(tag))).toEqual([304, tag])
  })
})

describe("openTags", () => {
  it("tells apart ids, revisions, their order and their number, and what was read before the database was set back", async () => {
    let history = "1.1.1"
    const tags = await openTags(node.database, () => history)
    const rows = (...pairs: [string, number][]) => pairs.map(([id, revision]) => ({ id, revision }))
    const largest = String(2 ** 53 - 1)
    const states = [
      rows(),
      rows(["1", 1]),
      rows(["1", 2]),
      rows(["2", 1]),
      rows(["1", 1], ["2", 1]),
      rows(["1", 1], ["3", 1]),
      rows(["1", 2], ["2", 1]),
      rows(["1", 1], ["2", 2]),
      rows(["2", 1], ["1", 1]),
      rows([largest, 1]),
      rows([String(2 ** 53 - 1 - 2 ** 32), 1]),
      rows(["4294967297", 1]),
    ]
    const made = states.map(tags.ofRevisions)
    expect(new Set(made).size).toBe(states.length)
    expect(states.map(tags.ofRevisions)).toEqual(made)
    history = "1.2.1"
    for (const tag of states.map(tags.ofRevisions)) expect(made).not.toContain(tag)
    history = "1.1.1"
    await runSql(
      node.databaseUrl,
      "create table tasks_elsewhere (like tasks); alter table tasks rename to former_tasks; alter table tasks_elsewhere rename to tasks",
    )
    const restored = await openTags(node.database, () => history)
    await runSql(node.databaseUrl, "drop table tasks; alter table former_tasks rename to tasks")
    expect(made).not.toContain(restored.ofRevisions(states[1] ?? []))
  })
})

describe("ETag", () => {
  it("is another one whenever the answer is another, of every route, for everybody, after every kind of write", async () => {
    const list = await makeList(ann)
    const other = await makeList(ann, "Other")
    const task = await makeTask(ann, list)
    await makeTask(ann, list, { title: "Second" })
    const membership = (await ann.post("/memberships", { list_id: list.id, user_id: bob.id })).body
    await bob.patch(`/memberships/${membership.id}`, { revision: membership.revision, state: "accepted" })
    const at = async (path: string) => (await ann.get(path)).body.revision
    const made: Record<string, any> = {}
    const make = async (name: string, path: string, body: object, who = ann) => {
      const reply = await who.post(path, body)
      expect(reply.status, path).toBeLessThan(300)
      made[name] = Array.isArray(reply.body) ? reply.body[0] : reply.body
    }
    const change = async (path: string, body: object, who = ann) =>
      expect((await who.patch(path, { revision: await at(path), ...body })).status, path).toBe(200)
    const id = task.id
    const writes: (() => Promise<unknown>)[] = [
      () => make("subtask", "/subtasks", { task_id: id, title: "Step" }),
      () => change(`/subtasks/${made.subtask.id}`, { completed: true }),
      () => make("note", "/notes", { task_id: id, content: "Text" }),
      () => change(`/notes/${made.note.id}`, { content: "Other" }),
      () => make("comment", "/task_comments", { task_id: id, text: "Hello" }, bob),
      async () =>
        expect((await ann.patch(`/task_comments/${made.comment.id}`, { revision: 1, read: true })).status).toBe(200),
      () => make("reminder", "/reminders", { task_id: id, date: "2031-01-01T00:00:00Z" }),
      () => change(`/tasks/${id}`, { assignee_id: bob.id, due_date: "2031-01-01" }),
      () => change(`/tasks/${id}`, { recurrence_type: "week", recurrence_count: 1 }),
      () => change(`/tasks/${id}`, { completed: true }),
      () => change(`/tasks/${id}`, { completed: false, remove: ["recurrence_type"] }),
      () => change(`/task_positions/${list.id}`, { values: [id] }),
      () => change(`/subtask_positions/${id}`, { values: [made.subtask.id] }),
      () => change(`/list_positions/${ann.id}`, { values: [list.id] }),
      () => make("folder", "/folders", { title: "Folder", list_ids: [list.id, other.id] }),
      () => make("setting", "/settings", { key: "a", value: "b" }),
      () =>
        make("webhook", "/webhooks", {
          list_id: list.id,
          url: "https://example.org/",
          processor_type: "generic",
          configuration: "",
        }),
      () => change("/user", { name: "Anna" }),
      async () =>
        expect(
          (await bob.patch("/user", { revision: (await bob.get("/user")).body.revision, name: "Robert" })).status,
        ).toBe(200),
      () => change(`/lists/${list.id}`, { title: "Renamed", public: true }),
      () => change(`/tasks/${id}`, { list_id: other.id }),
      () => change(`/tasks/${id}`, { list_id: list.id }),
      async () =>
        expect(
          (await ann.delete(`/memberships/${membership.id}?revision=${await at(`/memberships/${membership.id}`)}`))
            .status,
        ).toBe(204),
      async () =>
        expect(
          (await ann.delete(`/subtasks/${made.subtask.id}?revision=${await at(`/subtasks/${made.subtask.id}`)}`))
            .status,
        ).toBe(204),
      async () => expect((await ann.delete(`/tasks/${id}?revision=${await at(`/tasks/${id}`)}`)).status).toBe(204),
    ]
    const ids: Record<string, () => unknown> = {
      lists: () => list.id,
      tasks: () => id,
      memberships: () => membership.id,
      list_positions: () => ann.id,
      task_positions: () => list.id,
      subtask_positions: () => id,
      subtasks: () => made.subtask?.id,
      notes: () => made.note?.id,
      task_comments: () => made.comment?.id,
      reminders: () => made.reminder?.id,
      folders: () => made.folder?.id,
      settings: () => made.setting?.id,
      webhooks: () => made.webhook?.id,
    }
    const paths = routes
      .filter(({ method, path }) => method === "GET" && !/uploads|previews|files|devices|changes/.test(path))
      .flatMap(({ path, document }) => {
        if (path.includes(":id")) return [() => path.replace(":id", String(ids[path.split("/")[1] as string]?.() ?? 0))]
        const query = document.includes("$listId") ? `?list_id=${list.id}` : ""
        return [query, ...(path === "/tasks" ? [`${query}&completed=true`] : [])].map((more) => () => path + more)
      })
    const ofBob = paths.filter((path) => /tasks\?|comments|users|list_rev|lists$|root/.test(path()))
    const known = new Map<string, string>()
    const tags = new Set<string>()
    let answers = 0
    const look = () =>
      Promise.all(
        [ann, bob].flatMap((person) =>
          (person === ann ? paths : ofBob).map(async (pathOf) => {
            const path = pathOf()
            // Bare: that answers are as documented is asked elsewhere, and takes longer than the answer.
            const reply = await fetch(`${node.url}/api/v1${path}`, { headers: person.headers })
            // A root is known by its revision: with the same one, an older cursor leads to the same changes.
            const text = (await reply.text()).replace(/,"cursor":"[^"]+"\}$/, "}")
            if (reply.status !== 200) return expect(reply.headers.get("etag")).toBeNull()
            answers++
            const key = `${person.id} ${path} ${tagOf(reply)}`
            tags.add(tagOf(reply))
            expect(known.get(key) ?? text, key).toBe(text)
            known.set(key, text)
          }),
        ),
      )
    await look()
    for (const [index, write] of writes.entries()) {
      await write()
      if (index % 2 === 0) await look()
    }
    expect(answers).toBeGreaterThan(300)
    expect(tags.size).toBeGreaterThan(60)
    // And the other way round: as long as an answer is the same, so is its tag.
    const states = new Map([...known].map(([key, text]) => [`${key.slice(0, key.lastIndexOf(" "))} ${text}`, key]))
    expect(states.size).toBeGreaterThan(known.size * 0.9)
  }, 60_000)
})

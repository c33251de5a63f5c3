import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"
import { insertHooks } from "../webhooks/make-hook.js"

/** A resource whose rows have revisions: where it is, what it is called in GraphQL, and a change that is good. */
type Resource = {
  readonly type: string
  readonly path: string
  /** Its input in a change, where that is not called after it. */
  readonly input?: string
  /** Members of a good change beside the revision; without it, it has none. */
  readonly change?: Record<string, unknown>
  readonly isDeleted?: boolean
  /** Makes one; gives what GET shows of it. */
  make(): Promise<any>
}

let node: TestNode
let ann: Person
let bob: Person
let list: any
let task: any
let count = 0

beforeAll(async () => {
  node = await sharedNode()
  ;[ann, bob] = [await makePerson(node), await makePerson(node, "Bob")]
  list = await makeList(ann)
  task = await makeTask(ann, list)
})

const post = async (path: string, body: object): Promise<any> => {
  const { body: made } = await ann.post(path, body)
  return Array.isArray(made) ? made[0] : made
}
const positionOf = (kind: string, id: () => number) => async () => (await ann.get(`/${kind}_positions/${id()}`)).body

const RESOURCES: readonly Resource[] = [
  { type: "List", path: "/lists", change: { title: "y" }, isDeleted: true, make: () => makeList(ann) },
  { type: "Task", path: "/tasks", change: { title: "y" }, isDeleted: true, make: () => makeTask(ann, list) },
  {
    type: "Subtask",
    path: "/subtasks",
    change: { title: "y" },
    isDeleted: true,
    make: () => post("/subtasks", { task_id: task.id, title: "x" }),
  },
  {
    type: "Note",
    path: "/notes",
    change: { content: "y" },
    isDeleted: true,
    make: () => post("/notes", { task_id: task.id, content: "x" }),
  },
  {
    type: "Reminder",
    path: "/reminders",
    change: { date: "2032-01-01T00:00:00.000Z" },
    isDeleted: true,
    make: () => post("/reminders", { task_id: task.id, date: "2031-05-06T07:08:09.123Z" }),
  },
  {
    type: "TaskComment",
    path: "/task_comments",
    change: { text: "y" },
    isDeleted: true,
    make: () => post("/task_comments", { task_id: task.id, text: "x" }),
  },
  {
    type: "Folder",
    path: "/folders",
    change: { title: "y" },
    isDeleted: true,
    make: () => post("/folders", { title: "x", list_ids: [list.id] }),
  },
  {
    type: "Setting",
    path: "/settings",
    change: { value: "y" },
    isDeleted: true,
    make: () => post("/settings", { key: `key-${++count}`, value: "x" }),
  },
  {
    type: "Membership",
    path: "/memberships",
    change: { muted: true },
    async make() {
      const { id } = await makeList(bob)
      return (await ann.get(`/memberships/${await addMember(node, { id }, ann)}`)).body
    },
    isDeleted: true,
  },
  {
    type: "Webhook",
    path: "/webhooks",
    isDeleted: true,
    async make() {
      const [hook] = await insertHooks(node, await makeList(ann), "https://example.org/")
      return (await ann.get(`/webhooks/${hook?.id}`)).body
    },
  },
  { type: "File", path: "/files", isDeleted: true, make: () => makeFile(ann, task, Buffer.from("hello")) },
  {
    type: "ListPosition",
    path: "/list_positions",
    input: "UpdatePositionInput",
    change: { values: [1] },
    make: positionOf("list", () => ann.id),
  },
  {
    type: "TaskPosition",
    path: "/task_positions",
    input: "UpdatePositionInput",
    change: { values: [1] },
    make: positionOf("task", () => list.id),
  },
  {
    type: "SubtaskPosition",
    path: "/subtask_positions",
    input: "UpdatePositionInput",
    change: { values: [1] },
    make: positionOf("subtask", () => task.id),
  },
  { type: "User", path: "/user", change: { name: "Ann Y" }, make: async () => (await ann.get("/user")).body },
]
const CHANGED = RESOURCES.filter(({ change }) => change !== undefined)
const DELETED = RESOURCES.filter(({ isDeleted }) => isDeleted)

const inputOf = ({ type, input }: Resource) => input ?? `Update${type}Input`
/** A user is the viewer and has no id in its path. */
const pathOf = ({ type, path }: Resource, { id }: any) => (type === "User" ? path : `${path}/${id}`)

/** A name of REST as GraphQL has it. */
const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
const inCamelCase = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [camelCase(name), value]))

/** The same change over GraphQL. */
function changeByGraphql(resource: Resource, { id }: any, input: object) {
  const [ids, own] = resource.type === "User" ? ["", ""] : ["$id: ID!, ", "id: $id, "]
  const document = `mutation (${ids}$input: ${inputOf(resource)}!) { update${resource.type}(${own}input: $input) { __typename } }`
  return ann.graphql(document, { ...(ids && { id }), input: inCamelCase(input) })
}

/** What changes with each accepted write, whatever it says. */
const withoutRevision = ({ revision: _, updated_at: __, ...members }: any) => members

describe("null in a PATCH (§2)", () => {
  /** What null removes, as naming it in `remove` does; all other members that may be left out stay. */
  const CLEARED = ["assignee_id", "due_date", "recurrence_type", "recurrence_count", "starred", "completed"]
  const { paths, components } = JSON.parse(readFileSync("openapi.json", "utf8"))
  const schemaOf = (resource: Resource) => components.schemas[inputOf(resource)]

  it("is tried with every resource that can be changed", () => {
    const patched = Object.keys(paths).flatMap((path) => (paths[path].patch ? [path.replace("/{id}", "")] : []))
    // An upload has no members to change: its PATCH says that it is finished.
    const expected = patched.map((path) => path.replace("/api/v1", "")).filter((path) => path !== "/uploads")
    expect(CHANGED.map(({ path }) => path).sort()).toEqual(expected.sort())
  })

  it.each(CHANGED)(
    "is ignored by $type for members that cannot be cleared, and refused for a title alone",
    async (resource) => {
      const { properties, required } = schemaOf(resource)
      const made = await resource.make()
      const path = pathOf(resource, made)
      const now = async () => (await ann.get(path)).body
      for (const [member, { type }] of Object.entries<{ type: string | string[] }>(properties)) {
        if (member === "revision") continue
        const before = await now()
        const needed = Object.fromEntries(
          required.flatMap((name: string) => (name === "revision" || name === member ? [] : [[name, before[name]]])),
        )
        // A membership's change says one thing at least.
        if (resource.type === "Membership")
          Object.assign(needed, member === "muted" ? { state: "accepted" } : { muted: true })
        const sent = (revision: number) => ({ revision, ...needed, [member]: null })
        const byRest = await ann.patch(path, sent(before.revision))
        const byGraphql = await changeByGraphql(resource, made, sent((await now()).revision))
        const outcome = [
          byRest.status,
          byGraphql.code,
          byRest.body.error?.[member],
          byGraphql.fields?.[camelCase(member)],
        ]
        if (required.includes(member)) expect(outcome).toEqual([400, "MISSING_PARAMETER", ["required"], ["required"]])
        else if (member === "title") {
          const text = [expect.stringContaining("cannot be removed")]
          expect(outcome).toEqual([422, "VALIDATION_ERROR", text, text])
        } else expect([member, ...outcome]).toEqual([member, 200, undefined, undefined, undefined])
        expect([member, type.includes("null")]).toEqual([member, byRest.status === 200])
        if (byRest.status !== 200) expect(await now()).toEqual(before)
        else if (!CLEARED.includes(member))
          expect(withoutRevision(await now())).toMatchObject(withoutRevision({ ...before, ...needed }))
      }
    },
  )

  it("does not stand in the way of what else is changed", async () => {
    const { id } = await post("/task_comments", { task_id: task.id, text: "x" })
    const read = await ann.patch(`/task_comments/${id}`, { revision: 1, text: null, read: true })
    expect([read.status, read.body.text]).toEqual([200, "x"])
    const setting = await post("/settings", { key: "theme", value: "dark" })
    const changed = await ann.patch(`/settings/${setting.id}`, { revision: 1, key: null, value: "light" })
    expect(changed.body).toMatchObject({ key: "theme", value: "light", revision: 2 })
  })

  it("asks nobody to be a comment's author who does not edit it", async () => {
    const shared = await makeList(ann)
    await addMember(node, shared, bob)
    const { id } = await post("/task_comments", { task_id: (await makeTask(ann, shared)).id, text: "x" })
    const marked = await bob.patch(`/task_comments/${id}`, { revision: 1, text: null, read: true })
    expect([marked.status, marked.body.text, marked.body.read]).toEqual([200, "x", true])
  })
})

describe("A revision that no row can have (§9)", () => {
  const TOO_LARGE = [2 ** 31, 9_007_199_254_740_991]

  it("is tried with every resource that has revisions", () => {
    const { paths } = JSON.parse(readFileSync("openapi.json", "utf8"))
    const deleted = Object.keys(paths).flatMap((path) => (paths[path].delete ? [path.replace("/{id}", "")] : []))
    // Devices have no revisions (§5).
    const expected = deleted
      .map((path) => path.replace("/api/v1", ""))
      .filter((path) => path !== "/devices" && !path.startsWith("/api/v2"))
    expect(DELETED.map(({ path }) => path).sort()).toEqual(expected.sort())
  })

  it.each(CHANGED)("is stale in a change of $type", async (resource) => {
    const made = await resource.make()
    const path = pathOf(resource, made)
    for (const revision of TOO_LARGE) {
      const input = { ...resource.change, revision }
      for (const reply of [await ann.patch(path, input), await ann.put(path, input)])
        expect([reply.status, reply.body.error]).toEqual([409, expect.objectContaining({ revision_conflict: true })])
      expect((await changeByGraphql(resource, made, input)).code).toBe("CONFLICT")
    }
    const { revision } = (await ann.get(path)).body
    expect(revision).toBe(made.revision)
    expect((await ann.patch(path, { ...resource.change, revision })).status).toBe(200)
  })

  it.each(DELETED)("is stale in the deletion of a $type, and nothing is deleted", async (resource) => {
    const made = await resource.make()
    const path = pathOf(resource, made)
    // A file is refused in the words of §7.
    const [status, refusal, code] =
      resource.type === "File"
        ? [400, { errors: ["bad request"] }, "BAD_REQUEST"]
        : [409, { error: expect.objectContaining({ revision_conflict: true }) }, "CONFLICT"]
    for (const revision of TOO_LARGE) {
      for (const reply of [await ann.delete(`${path}?revision=${revision}`), await ann.delete(path, { revision })])
        expect([reply.status, reply.body]).toEqual([status, refusal])
      const document = `mutation ($id: ID!, $revision: Int!) { delete${resource.type}(id: $id, revision: $revision) }`
      expect((await ann.graphql(document, { id: made.id, revision })).code).toBe(code)
    }
    const { revision } = (await ann.get(path)).body
    expect((await ann.delete(`${path}?revision=${revision}`)).status).toBe(204)
  })
})

import { parse, type ValueNode } from "graphql"
import { beforeAll, describe, expect, it } from "vitest"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { parametersOf } from "../../src/transports/rest/parameters.js"
import { routes } from "../../src/transports/rest/routes.js"
import { createClient } from "../support/client.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { makeFile, makeUpload } from "../support/uploads.js"

// Who may use which route: each route of the contract × {no token, wrong pair, stranger, invitee, member, owner, removed
// member}, over REST and as the GraphQL operation that the route runs. A removed member is a stranger.

type People = Record<"stranger" | "invitee" | "member" | "owner" | "removed", Person>
type World = {
  list: any
  task: any
  subtask: any
  note: any
  reminder: any
  comment: any
  folder: any
  setting: any
  webhook: any
  membership: any
  upload: any
  finished: any
  file: any
  device: any
}
type Sent = { id?: number; query?: Record<string, unknown>; body?: Record<string, unknown> }
type Row = {
  /** What is sent. Everything in the world was made by the owner; `membership` is the member's. */
  sends(world: World, people: People): Sent
  /** The answers to stranger, invitee, member and owner. */
  answers: readonly [number, number, number, number]
}

const READS_LIST = [404, 404, 200, 200] as const
const CHANGES = [404, 404, 200, 200] as const
const DELETES = [404, 404, 204, 204] as const
const OWN = [404, 404, 404, 200] as const
const OWN_DELETE = [404, 404, 404, 204] as const
const EVERYBODY = [200, 200, 200, 200] as const

const byId = (name: keyof World, answers: Row["answers"]): Row => ({
  sends: (world) => ({ id: world[name].id }),
  answers,
})
const ofList = (answers: Row["answers"] = READS_LIST): Row => ({
  sends: ({ list }) => ({ query: { list_id: list.id } }),
  answers,
})
const changes = (name: keyof World, body: Record<string, unknown>, answers: Row["answers"]): Row => ({
  sends: (world) => ({ id: world[name].id, body: { revision: world[name].revision, ...body } }),
  answers,
})
const deletes = (name: keyof World, answers: Row["answers"]): Row => ({
  sends: (world) => ({ id: world[name].id, query: { revision: world[name].revision } }),
  answers,
})
const inTask = (body: Record<string, unknown>): Row => ({
  sends: ({ task }) => ({ body: { task_id: task.id, ...body } }),
  answers: [404, 404, 201, 201],
})
const nothing = (answers: Row["answers"]): Row => ({ sends: () => ({}), answers })

const MATRIX: Record<string, Row> = {
  "GET /root": nothing(EVERYBODY),
  "GET /changes": nothing(EVERYBODY),
  "GET /history": ofList(),
  "GET /user": nothing(EVERYBODY),
  "PATCH /user": { sends: () => ({ body: { revision: 1, name: "Other" } }), answers: EVERYBODY },
  "GET /users": ofList([404, 200, 200, 200]),
  "GET /lists": nothing(EVERYBODY),
  "GET /lists/:id": byId("list", [404, 200, 200, 200]),
  "POST /lists": { sends: () => ({ body: { title: "x" } }), answers: [201, 201, 201, 201] },
  "PATCH /lists/:id": changes("list", { title: "x" }, [404, 403, 200, 200]),
  "DELETE /lists/:id": deletes("list", [404, 403, 403, 204]),
  "GET /list_revisions": nothing(EVERYBODY),
  "GET /lists/tasks_count": ofList(),
  "GET /tasks": ofList(),
  "GET /tasks/find": nothing(EVERYBODY),
  "GET /tasks/:id": byId("task", READS_LIST),
  "POST /tasks": { sends: ({ list }) => ({ body: { list_id: list.id, title: "x" } }), answers: [404, 404, 201, 201] },
  "PATCH /tasks/:id": changes("task", { title: "x" }, CHANGES),
  "DELETE /tasks/:id": deletes("task", DELETES),
  "GET /task_revisions": ofList(),
  "GET /subtasks": ofList(),
  "GET /subtasks/:id": byId("subtask", READS_LIST),
  "POST /subtasks": inTask({ title: "x" }),
  "PATCH /subtasks/:id": changes("subtask", { title: "x" }, CHANGES),
  "DELETE /subtasks/:id": deletes("subtask", DELETES),
  "GET /notes": ofList(),
  "GET /notes/:id": byId("note", READS_LIST),
  "POST /notes": inTask({ content: "x" }),
  "PATCH /notes/:id": changes("note", { content: "x" }, CHANGES),
  "DELETE /notes/:id": deletes("note", DELETES),
  "GET /reminders": ofList(),
  "GET /reminders/:id": byId("reminder", OWN),
  "POST /reminders": inTask({ date: "2031-01-01T00:00:00Z" }),
  "PATCH /reminders/:id": changes("reminder", { date: "2031-01-01T00:00:00Z" }, OWN),
  "DELETE /reminders/:id": deletes("reminder", OWN_DELETE),
  "GET /task_comments": ofList(),
  "GET /task_comments/:id": byId("comment", READS_LIST),
  "POST /task_comments": inTask({ text: "x" }),
  "PATCH /task_comments/:id": changes("comment", { text: "x" }, [404, 404, 403, 200]),
  "DELETE /task_comments/:id": deletes("comment", [404, 404, 403, 204]),
  "POST /uploads": {
    sends: () => ({ body: { file_name: "a.txt", content_type: "text/plain", file_size: 1 } }),
    answers: [201, 201, 201, 201],
  },
  "GET /uploads/:id/parts": { sends: ({ upload }) => ({ id: upload.id, query: { part_number: 1 } }), answers: OWN },
  "PATCH /uploads/:id": { sends: ({ finished }) => ({ id: finished.id, body: { state: "finished" } }), answers: OWN },
  "GET /files": ofList(),
  "GET /files/:id": byId("file", READS_LIST),
  // The upload is the owner's, so nobody else can make a file of it.
  "POST /files": {
    sends: ({ task, finished }) => ({ body: { task_id: task.id, upload_id: finished.id } }),
    answers: [404, 404, 422, 201],
  },
  "DELETE /files/:id": deletes("file", DELETES),
  // It is a text, of which there is no preview.
  "GET /previews": { sends: ({ file }) => ({ query: { file_id: file.id } }), answers: [404, 404, 400, 400] },
  "GET /folders": nothing(EVERYBODY),
  "GET /folders/:id": byId("folder", OWN),
  "POST /folders": {
    sends: ({ list }) => ({ body: { title: "x", list_ids: [list.id] } }),
    answers: [422, 200, 200, 200],
  },
  "PATCH /folders/:id": changes("folder", { title: "x" }, OWN),
  "DELETE /folders/:id": deletes("folder", OWN_DELETE),
  "GET /folder_revisions": nothing(EVERYBODY),
  "GET /memberships": ofList([404, 200, 200, 200]),
  "GET /memberships/:id": byId("membership", [404, 200, 200, 200]),
  "POST /memberships": {
    sends: ({ list }, { stranger }) => ({ body: { list_id: list.id, user_id: stranger.id } }),
    answers: [404, 403, 201, 201],
  },
  "PATCH /memberships/:id": changes("membership", { state: "accepted" }, [404, 403, 200, 403]),
  "DELETE /memberships/:id": deletes("membership", [404, 403, 204, 204]),
  "GET /list_positions": nothing(EVERYBODY),
  "GET /list_positions/:id": { sends: (_, { owner }) => ({ id: owner.id }), answers: OWN },
  "PATCH /list_positions/:id": {
    sends: (_, { owner }) => ({ id: owner.id, body: { revision: 1, values: [1] } }),
    answers: OWN,
  },
  "GET /task_positions": ofList(),
  "GET /task_positions/:id": byId("list", READS_LIST),
  "PATCH /task_positions/:id": {
    sends: ({ list }) => ({ id: list.id, body: { revision: 1, values: [1] } }),
    answers: CHANGES,
  },
  "GET /subtask_positions": ofList(),
  "GET /subtask_positions/:id": byId("task", READS_LIST),
  "PATCH /subtask_positions/:id": {
    sends: ({ task }) => ({ id: task.id, body: { revision: 1, values: [1] } }),
    answers: CHANGES,
  },
  "GET /settings": nothing(EVERYBODY),
  "GET /settings/:id": byId("setting", OWN),
  "POST /settings": {
    sends: () => ({ body: { key: `k${Math.random()}`, value: "v" } }),
    answers: [201, 201, 201, 201],
  },
  "PATCH /settings/:id": changes("setting", { value: "x" }, OWN),
  "DELETE /settings/:id": deletes("setting", OWN_DELETE),
  "GET /webhooks": ofList(),
  "GET /webhooks/:id": byId("webhook", READS_LIST),
  "POST /webhooks": {
    sends: ({ list }) => ({
      body: { list_id: list.id, url: "https://example.org/hook", processor_type: "generic", configuration: "" },
    }),
    answers: [404, 404, 201, 201],
  },
  "DELETE /webhooks/:id": deletes("webhook", [404, 404, 403, 204]),
  "GET /devices": nothing(EVERYBODY),
  "POST /devices": {
    sends: () => ({ body: { udid: "x", platform: "web_push", subscription: SUBSCRIPTION } }),
    answers: [201, 201, 201, 201],
  },
  "DELETE /devices/:id": { sends: ({ device }) => ({ id: device.id }), answers: OWN_DELETE },
}

const UNKNOWN_ID = 9007199254740991
/** Good for every test: its address belongs to the user who registered it last. */
const SUBSCRIPTION = {
  endpoint: "https://push.example.org/1",
  keys: { p256dh: Buffer.alloc(65, 4).toString("base64url"), auth: Buffer.alloc(16).toString("base64url") },
}

const WHO = ["stranger", "invitee", "member", "owner"] as const
const schema = buildSchema()

let node: TestNode
/** For callers that change nothing: they only read, or are refused. */
let shared: { people: People; world: World }

beforeAll(async () => {
  node = await sharedNode()
  shared = await makeWorld(() => true)
})

/** A world for one request of somebody, with what that names and no more: all of it takes longer than the request. */
function makeWorldFor({ sends }: Row, who: keyof People): Promise<{ people: People; world: World }> {
  const named = new Set<string>(["owner", who])
  const noting = <Things extends object>(things: Things): Things =>
    new Proxy(things, {
      get(_, name) {
        named.add(String(name))
        return things[name as keyof Things]
      },
    })
  sends(noting(shared.world), noting(shared.people))
  if (named.has("membership")) named.add("member")
  return makeWorld((name) => named.has(name))
}

async function makeWorld(
  isNamed: (name: keyof World | keyof People) => boolean,
): Promise<{ people: People; world: World }> {
  const names = { stranger: "Cid", invitee: "Dan", member: "Bob", owner: "Ann", removed: "Rob" }
  const entries = Object.entries(names)
    .filter(([role]) => isNamed(role as keyof People))
    .map(async ([role, name]) => [role, await makePerson(node, name)] as const)
  const people = Object.fromEntries(await Promise.all(entries)) as People
  const { owner, member, invitee, removed } = people
  const list = await makeList(owner)
  const membershipId = isNamed("member") && (await addMember(node, list, member))
  if (isNamed("invitee")) await addMember(node, list, invitee, "pending")
  if (isNamed("removed")) await owner.delete(`/memberships/${await addMember(node, list, removed)}?revision=1`)
  const task = await makeTask(owner, list)
  const make = async (path: string, body: unknown): Promise<any> => (await owner.post(path, body)).body
  const text = Buffer.from("text")
  const members = { file_name: "a.txt", content_type: "text/plain" }
  const makers: Partial<Record<keyof World, () => Promise<any>>> = {
    subtask: () => make("/subtasks", { task_id: task.id, title: "x" }),
    note: () => make("/notes", { task_id: task.id, content: "x" }),
    reminder: async () => (await make("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" }))[0],
    comment: () => make("/task_comments", { task_id: task.id, text: "x" }),
    folder: () => make("/folders", { title: "x", list_ids: [] }),
    setting: () => make("/settings", { key: "k", value: "v" }),
    webhook: () =>
      make("/webhooks", {
        list_id: list.id,
        url: "https://example.org/hook",
        processor_type: "generic",
        configuration: "",
      }),
    device: () => make("/devices", { udid: "x", platform: "web_push", subscription: SUBSCRIPTION }),
    upload: () => make("/uploads", { ...members, file_size: 1 }),
    finished: () => makeUpload(owner, text, members),
    file: () => makeFile(owner, task, text, members),
    membership: async () => (await owner.get(`/memberships/${membershipId}`)).body,
  }
  const made: Record<string, unknown> = { task }
  for (const [name, maker] of Object.entries(makers)) if (isNamed(name as keyof World)) made[name] = await maker()
  return { people, world: { ...made, list: (await owner.get(`/lists/${list.id}`)).body } as World }
}

function restOf(path: string, { id, query = {} }: Sent): string {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return `${path.replace(":id", String(id))}${search === "" ? "" : `?${search}`}`
}

/** What an argument is made of, members of objects for the objects. */
const kindsIn = (value: ValueNode): readonly string[] =>
  value.kind === "ObjectValue" ? value.fields.flatMap((field) => kindsIn(field.value)) : [value.kind]

describe("the route table", () => {
  it("has a row of the access matrix for each route, and a route for each row", () => {
    expect(routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(MATRIX).sort())
  })

  it("has a GraphQL counterpart for each route: one root field of the schema, reached with variables alone", () => {
    for (const { document } of routes) {
      const [operation] = parse(document).definitions
      if (operation?.kind !== "OperationDefinition") throw new Error(document)
      const [field] = operation.selectionSet.selections
      expect(operation.selectionSet.selections).toHaveLength(1)
      if (field?.kind !== "Field") throw new Error(document)
      expect(Object.keys(schema.getRootType(operation.operation)?.getFields() ?? {})).toContain(field.name.value)
      for (const { value } of field.arguments ?? [])
        for (const kind of kindsIn(value)) expect(["Variable", "BooleanValue"]).toContain(kind)
    }
  })
})

describe.each(routes)("$method $path", (route) => {
  const { method, path, document } = route
  const row = MATRIX[`${method} ${path}`] as Row

  it("needs both headers, and of one application", async () => {
    const { people, world } = shared
    const { owner, member } = people
    const sent = row.sends(world, people)
    const wrongPair = { clientId: member.credentials.clientId, token: owner.credentials.token }
    for (const client of [createClient(node.url), createClient(node.url, wrongPair)]) {
      expect((await client.request(method, restOf(path, sent), sent.body)).status).toBe(401)
      expect((await client.graphql(document, {})).code).toBe("UNAUTHORIZED")
    }
  })

  it("gives each the same results over REST and GraphQL", async () => {
    for (const [index, who] of (["removed", ...WHO] as const).entries()) {
      const expected = row.answers[Math.max(0, index - 1)] as number
      for (const transport of ["REST", "GraphQL"] as const) {
        // What one caller may change is gone for the next, so each gets a world of their own.
        const { people, world } = expected < 400 && method !== "GET" ? await makeWorldFor(row, who) : shared
        const sent = row.sends(world, people)
        const person = people[who]
        if (transport === "REST") {
          const reply = await person.request(method, restOf(path, sent), sent.body)
          expect([who, transport, reply.status]).toEqual([who, transport, expected])
          // What a caller cannot see looks like what does not exist.
          if (expected === 404 && path.includes(":id"))
            expect(reply.body).toEqual(
              (await person.request(method, restOf(path, { ...sent, id: UNKNOWN_ID }), sent.body)).body,
            )
        } else {
          const query = new Map(Object.entries(sent.query ?? {}).map(([name, value]) => [name, String(value)]))
          const variables = parametersOf(
            schema,
            route,
            parse(document),
          )({ id: String(sent.id), query, body: sent.body })
          const { code } = await person.graphql(document, variables)
          const wanted = {
            400: ["BAD_REQUEST"],
            403: ["PERMISSION_ERROR"],
            404: ["NOT_FOUND", "PERMISSION_ERROR"],
            422: ["VALIDATION_ERROR"],
          }[expected] ?? [undefined]
          expect([who, transport, wanted.includes(code as never) ? "as wanted" : code]).toEqual([
            who,
            transport,
            "as wanted",
          ])
        }
      }
    }
  })
})

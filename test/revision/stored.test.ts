import { parse } from "graphql"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { Route } from "../../src/operations/route.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { parametersOf } from "../../src/transports/rest/parameters.js"
import { routes } from "../../src/transports/rest/routes.js"
import { type Listener, listen } from "../live/listener.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { makeFile } from "../support/uploads.js"

const schema = buildSchema()
const STALE = 0

/** What changes each resource; what is only deleted has none. */
const CHANGES: Record<string, object> = {
  "/user": { name: "Other" },
  "/lists/:id": { title: "Other" },
  "/tasks/:id": { title: "Other" },
  "/subtasks/:id": { title: "Other" },
  "/notes/:id": { content: "Other" },
  "/reminders/:id": { date: "2031-01-01T00:00:00Z" },
  "/task_comments/:id": { text: "Other" },
  "/folders/:id": { title: "Other" },
  "/memberships/:id": { muted: true },
  "/list_positions/:id": { values: [1] },
  "/task_positions/:id": { values: [1] },
  "/subtask_positions/:id": { values: [1] },
  "/settings/:id": { value: "Other" },
}

/** The rows that compare a revision: everything that is changed or deleted, but devices and uploads, which have none. */
const rows = routes.filter(
  ({ method, document }) => (method === "PATCH" || method === "DELETE") && /\$revision|Input!/.test(document),
)

let node: TestNode
let ann: Person
let member: Person
let stranger: Person
let socket: Listener
/** The id of one of each resource, all of them Ann's; the membership is the member's where it is deleted. */
let ids: Record<string, number>

beforeAll(async () => {
  node = await startNode()
  ;[ann, member, stranger] = (await Promise.all(["Ann", "Bob", "Cid"].map((name) => makePerson(node, name)))) as [
    Person,
    Person,
    Person,
  ]
  socket = listen(ann)
  const list = await makeList(ann)
  const membership = await addMember(node, list, member)
  const task = await makeTask(ann, list)
  const make = async (path: string, body: object): Promise<number> => {
    const { body: made } = await ann.post(path, body)
    return (Array.isArray(made) ? made[0] : made).id
  }
  ids = {
    "/user": ann.id,
    "/lists/:id": list.id,
    "/tasks/:id": task.id,
    "/subtasks/:id": await make("/subtasks", { task_id: task.id, title: "x" }),
    "/notes/:id": await make("/notes", { task_id: task.id, content: 'on "two"\nlines' }),
    "/reminders/:id": await make("/reminders", { task_id: task.id, date: "2030-01-01T00:00:00Z" }),
    "/task_comments/:id": await make("/task_comments", { task_id: task.id, text: "x" }),
    "/files/:id": (await makeFile(ann, task, Buffer.from("text"), { file_name: "a.txt", content_type: "text/plain" }))
      .id,
    "/folders/:id": await make("/folders", { title: "x", list_ids: [list.id] }),
    "/memberships/:id": membership,
    "/list_positions/:id": ann.id,
    "/task_positions/:id": list.id,
    "/subtask_positions/:id": task.id,
    "/settings/:id": await make("/settings", { key: "k", value: "v" }),
    "/webhooks/:id": await make("/webhooks", {
      list_id: list.id,
      url: "https://example.org/hook",
      processor_type: "generic",
      configuration: "",
    }),
  }
})
afterAll(async () => {
  await socket.close()
  await node.stop()
})

const addressOf = ({ path }: Route) => path.replace(":id", String(ids[path]))
const bodyOf = ({ method, path }: Route) =>
  method === "PATCH" ? { revision: STALE, ...CHANGES[path] } : { revision: STALE }
const shownBy = (route: Route) => routes.find(({ method, path }) => method === "GET" && path === route.path) as Route
/** Everybody changes only their own membership; the owner removes others. */
const whoChanges = ({ method, path }: Route) => (method === "PATCH" && path === "/memberships/:id" ? member : ann)
const isOfFiles = ({ path }: Route) => path === "/files/:id"

const variablesOf = (route: Route) =>
  parametersOf(
    schema,
    route,
    parse(route.document),
  )({ id: String(ids[route.path]), query: new Map(), body: bodyOf(route) })

/** The addresses of bytes are signed anew at each answer. */
const withoutUrl = ({ url: _url, ...rest }: any) => rest

describe.each(rows)("$method $path with a stale revision (§9)", (route) => {
  it("answers with what is stored, as GET shows it, over REST, GraphQL and WebSocket", async () => {
    const who = whoChanges(route)
    const shown = await who.get(addressOf(route))
    expect(shown.status).toBe(200)
    const refused = await who.request(route.method, addressOf(route), bodyOf(route))
    if (isOfFiles(route))
      expect([refused.status, refused.body]).toEqual([400, { errors: ["bad request"] }]) // §7 says it all
    else
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.objectContaining({ type: "conflict", revision_conflict: true, current: shown.body }),
      ])

    const variables = variablesOf(route)
    const { id } = variables
    const { data } = await who.graphql(shownBy(route).document, id === undefined ? {} : { id })
    const current = Object.values<any>(data)[0]
    expect(current).toMatchObject({ __typename: expect.any(String), revision: shown.body.revision })
    const over = { graphql: (await who.graphql(route.document, variables)).errors?.[0] }
    const overSocket = who === ann ? (await socket.run(route.document, variables)).errors[0] : over.graphql
    for (const error of [over.graphql, overSocket]) {
      expect(error.extensions.code).toBe(isOfFiles(route) ? "BAD_REQUEST" : "CONFLICT")
      expect(withoutUrl(error.extensions.current)).toEqual(withoutUrl(current))
    }
  })

  it.skipIf(route.path === "/user")("tells a stranger nothing", async () => {
    const refused = await stranger.request(route.method, addressOf(route), bodyOf(route))
    expect([refused.status, refused.body.error.current]).toEqual([404, undefined])
    const { errors } = await stranger.graphql(route.document, variablesOf(route))
    expect(errors).toEqual([expect.objectContaining({ extensions: { code: "NOT_FOUND" } })])
  })
})

describe("what is stored, beside a stale revision (§9)", () => {
  const UPDATE = "updateTask(id: $id, input: $input) { id }"

  it("comes with a stale revision beside a value outside of its limit", async () => {
    const { id } = await makeTask(ann, { id: ann.inboxId })
    const shown = (await ann.get(`/tasks/${id}`)).body
    const { body } = await ann.patch(`/tasks/${id}`, { revision: STALE, title: "x".repeat(256) })
    expect(body.error).toMatchObject({ type: "conflict", current: shown })
    const { errors } = await ann.graphql(`mutation ($id: ID!, $input: UpdateTaskInput!) { ${UPDATE} }`, {
      id,
      input: { revision: STALE, title: "x".repeat(256) },
    })
    expect(errors).toMatchObject([{ extensions: { code: "CONFLICT", current: { id: String(id), title: "Buy milk" } } }])
  })

  it("belongs to each root field by its name in the answer, also where the values stand in the document", async () => {
    const [one, two] = [await makeTask(ann, { id: ann.inboxId }), await makeTask(ann, { id: ann.inboxId })]
    const { data, errors } = await ann.graphql(`mutation {
      first: updateTask(id: "${one.id}", input: { revision: 0, title: "x" }) { id }
      second: deleteTask(id: ${two.id}, revision: 0)
    }`)
    expect(data).toBeNull()
    expect(errors?.map(({ extensions }: any) => extensions.current?.id).filter(Boolean)).not.toHaveLength(0)
    for (const { path, extensions } of errors as any[])
      expect(extensions.current.id).toBe(String(path[0] === "first" ? one.id : two.id))
  })

  it("is what the change of the same request has just made", async () => {
    const { id } = await makeTask(ann, { id: ann.inboxId })
    const { errors } = await ann.graphql(
      `mutation ($id: ID!) {
        won: updateTask(id: $id, input: { revision: 1, title: "new" }) { id list { id } }
        lost: updateTask(id: $id, input: { revision: 1, title: "old" }) { id }
      }`,
      { id },
    )
    expect(errors).toMatchObject([{ path: ["lost"], extensions: { current: { title: "new", revision: 2 } } }])
  })

  it("is in the answer frames of the SDK's socket", async () => {
    const { id } = await makeTask(ann, { id: ann.inboxId })
    const { clientId = "", token = "" } = ann.credentials
    const query = new URLSearchParams({ client_id: clientId, access_token: token })
    const line = new WebSocket(`${node.url.replace("http", "ws")}/api/v1/sync?${query}`)
    await new Promise((resolve, reject) => line.on("open", resolve).on("error", reject))
    const answer = new Promise<any>((resolve) =>
      line.on("message", (data) => {
        const frame = JSON.parse(String(data))
        if (frame.type === "request") resolve(frame)
      }),
    )
    const body = JSON.stringify({ revision: STALE, title: "x" })
    line.send(JSON.stringify({ type: "request", headers: {}, verb: "PATCH", uri: `/api/v1/tasks/${id}`, body }))
    const { status, body: text } = await answer
    expect([status, JSON.parse(text).error.current]).toEqual([409, (await ann.get(`/tasks/${id}`)).body])
    line.close()
  })

  it("is not told to a user who has left the list since they read it", async () => {
    const list = await makeList(ann)
    const membership = await addMember(node, list, member)
    const { id } = await makeTask(ann, list)
    await member.delete(`/memberships/${membership}?revision=1`)
    const { status, body } = await member.patch(`/tasks/${id}`, { revision: STALE, title: "x" })
    expect([status, body.error.current]).toEqual([404, undefined])
  })
})

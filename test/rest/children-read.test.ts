import { beforeAll, describe, expect, it } from "vitest"
import { childKinds, childrenBy, UNKNOWN_ID } from "../support/children.js"
import { makePeople, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// How everything that belongs to a task is read; what is peculiar to a kind stands in a file of its own.

let node: TestNode
let owner: Person
let invitee: Person
let stranger: Person
let list: { id: number }
let task: { id: number }

beforeAll(async () => {
  node = await sharedNode()
  ;({ owner, invitee, stranger, list } = await makePeople(node))
  task = await makeTask(owner, list)
})

describe.each(childKinds)("GET /api/v1$path (§4)", (kind) => {
  const { path, one, member, made } = kind
  const { make, graphql } = childrenBy(kind)

  it("asks for a token before anything else", async () => {
    for (const at of [path, `${path}/1`])
      expect(await owner.get(at, { "X-Access-Token": "no such token" })).toMatchObject({
        status: 401,
        body: { unauthorized: true, error: { type: "unauthorized" } },
      })
  })

  it("answers by id, by task and by list with the text of the POST", async () => {
    const alone = await makeTask(owner, list)
    const posted = await owner.post(path, { task_id: alone.id, [member]: made })
    const text = posted.text.replace(/^\[|\]$/g, "")
    const { id } = JSON.parse(text)
    expect(posted.status).toBe(201)
    expect((await owner.get(`${path}/${id}`)).text).toBe(text)
    expect((await owner.get(`${path}?task_id=${alone.id}`)).text).toBe(`[${text}]`)
    expect((await owner.get(`${path}?list_id=${list.id}`)).text).toContain(text)
  })

  it("limits the form by list to children of completed or of open tasks", async () => {
    const two = (await owner.post("/lists", { title: "Two tasks" })).body
    const [open, done] = [await makeTask(owner, two), await makeTask(owner, two, { completed: true })]
    const [ofDone, ofOpen] = [await make(owner, done.id), await make(owner, open.id)]
    const ids = async (query: string) =>
      (await owner.get(`${path}?list_id=${two.id}${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids("")).toEqual([ofDone.id, ofOpen.id])
    expect(await ids("&completed_tasks=true")).toEqual([ofDone.id])
    expect(await ids("&completed_tasks=false")).toEqual([ofOpen.id])
  })

  it("answers [] for an open task and list without any, and 404 for one that is closed or unknown", async () => {
    const empty = (await owner.post("/lists", { title: "Empty" })).body
    const bare = await makeTask(owner, empty)
    expect((await owner.get(`${path}?task_id=${bare.id}`)).text).toBe("[]")
    expect((await owner.get(`${path}?list_id=${empty.id}`)).text).toBe("[]")
    const unknown = await owner.get(`${path}?task_id=${UNKNOWN_ID}`)
    expect(unknown).toMatchObject({ status: 404, body: { error: { type: "not_found" } } })
    for (const who of [stranger, invitee])
      for (const query of [`task_id=${task.id}`, `list_id=${list.id}`])
        expect(await who.get(`${path}?${query}`)).toMatchObject({ status: 404, body: unknown.body })
  })

  it("answers 400 without task_id and list_id, for a mistyped filter and for a repeated parameter", async () => {
    const neither = await owner.get(path)
    expect(neither).toMatchObject({ status: 400, body: { error: { type: "missing_parameter" } } })
    expect(Object.keys(neither.body.error)).toEqual(expect.arrayContaining(["task_id", "list_id"]))
    expect((await owner.graphql(`{ ${one}s { id } }`)).code).toBe("MISSING_PARAMETER")
    expect(await owner.get(`${path}?list_id=${list.id}&completed_tasks=maybe`)).toMatchObject({
      status: 400,
      body: { error: { completed_tasks: ["must be a boolean"] } },
    })
    expect((await owner.get(`${path}?task_id=${task.id}&task_id=${task.id}`)).status).toBe(400)
  })

  it("shows a stranger and an invitee what an unknown id shows", async () => {
    const { id } = await make(owner, task.id)
    const unknown = await owner.get(`${path}/${UNKNOWN_ID}`)
    for (const who of [stranger, invitee]) {
      expect(await who.get(`${path}/${id}`)).toMatchObject({ status: 404, body: unknown.body })
      expect((await graphql.read(who, id)).code).toBe("NOT_FOUND")
    }
    expect((await graphql.read(owner, id)).data).toEqual({ [one]: { id: String(id), [member]: made } })
  })

  it("answers 404 for what cannot be an id", async () => {
    for (const id of ["2147483648", "9223372036854775808", "-1", "0", "1.5", "1e3", "0x10", "%201"])
      expect((await owner.get(`${path}/${id}`)).status).toBe(404)
  })

  it("is found from its task, and its task from it", async () => {
    const own = await makeTask(owner, list)
    const ids = [await make(owner, own.id), await make(owner, own.id)].map(({ id }) => String(id))
    const many = one === "taskComment" ? "comments" : `${one}s`
    const query = `query ($id: ID!) { task(id: $id) { ${many} { id task { id title } } } }`
    const { data } = await owner.graphql(query, { id: own.id })
    expect(data.task[many]).toEqual(ids.map((id) => ({ id, task: { id: String(own.id), title: own.title } })))
  })
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeList, makePeople, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"
import { eventually, type Listener, type Listening, listen, quiet } from "./listener.js"

// accountUpdated leaves nothing out that polling from the root would find.

let node: TestNode
const sockets: Listener[] = []
beforeAll(async () => {
  node = await startNode()
})
afterAll(async () => {
  await Promise.all(sockets.map((socket) => socket.close()))
  await node.stop()
})

const FIELDS =
  "operation subjectType subjectId actorId after before subject { __typename ... on TaskComment { id read } }"

async function account(person: Person): Promise<Listening> {
  const { streams } = node.status()
  const socket = listen(person)
  sockets.push(socket)
  const listening = socket.accountUpdated(undefined, FIELDS)
  await eventually(() => node.status().streams === streams + 1)
  // The stream is there; a first event shows that it has begun, and a last one that no other is on its way.
  const set = (key: string) => person.post("/settings", { key, value: "x" })
  await eventually(async () => {
    await set(`begun ${Math.random()}`)
    return listening.events.length > 0
  })
  await set("last")
  await listening.until((events) => events.at(-1)?.after?.key === "last")
  listening.events.length = 0
  return listening
}

const brief = ({ events }: Listening) =>
  events.map(({ operation, subjectType, subjectId }) => `${operation} ${subjectType} ${subjectId}`)

describe("accountUpdated (§9 Events)", () => {
  it("tells of making, changing and deleting each kind of thing", async () => {
    const ann = await makePerson(node)
    const bob = await makePerson(node, "Bob")
    const list = await makeList(ann)
    const task = await makeTask(ann, list)
    const listening = await account(ann)
    const expected: string[] = []

    const kinds: [path: string, type: string, made: object, changed: object | undefined][] = [
      ["/subtasks", "subtask", { task_id: task.id, title: "x" }, { title: "y" }],
      ["/notes", "note", { task_id: task.id, content: "x" }, { content: "y" }],
      ["/task_comments", "task_comment", { task_id: task.id, text: "x" }, { text: "y" }],
      ["/reminders", "reminder", { task_id: task.id, date: "2031-01-01T00:00:00Z" }, { date: "2032-01-01T00:00:00Z" }],
      ["/folders", "folder", { title: "x", list_ids: [list.id] }, { title: "y" }],
      ["/settings", "setting", { key: "k", value: "v" }, { value: "w" }],
      ["/memberships", "membership", { list_id: list.id, user_id: bob.id }, undefined],
      [
        "/webhooks",
        "webhook",
        { list_id: list.id, url: "https://example.org/", processor_type: "generic", configuration: "" },
        undefined,
      ],
      ["/tasks", "task", { list_id: list.id, title: "x" }, { title: "y" }],
    ]
    for (const [path, type, made, changed] of kinds) {
      const { body } = await ann.post(path, made)
      const { id, revision } = Array.isArray(body) ? body[0] : body
      expected.push(`CREATE ${type} ${id}`)
      if (changed) {
        await ann.patch(`${path}/${id}`, { revision, ...changed })
        expected.push(`UPDATE ${type} ${id}`)
      }
      const { status } = await ann.delete(`${path}/${id}?revision=${revision + (changed ? 1 : 0)}`)
      expect([path, status]).toEqual([path, 204])
      expected.push(`DELETE ${type} ${id}`)
    }
    for (const [path, id] of [
      ["list_position", ann.id],
      ["task_position", list.id],
      ["subtask_position", task.id],
    ] as const) {
      expect((await ann.patch(`/${path}s/${id}`, { revision: 1, values: [1] })).status).toBe(200)
      expected.push(`UPDATE ${path} ${id}`)
    }
    await listening.until((events) => events.length >= expected.length)
    await quiet()
    expect(brief(listening)).toEqual(expected)
  })

  it("tells of the folder that a deleted or left list falls out of, and of nobody else's folders, settings and reminders", async () => {
    const { owner, member, list } = await makePeople(node)
    const task = await makeTask(owner, list)
    const folders = await Promise.all(
      [owner, member].map(async (person) => (await person.post("/folders", { title: "x", list_ids: [list.id] })).body),
    )
    const [owners, members] = [await account(owner), await account(member)]
    await owner.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })
    await owner.post("/settings", { key: "mine", value: "x" })
    const { body: memberships } = await member.get(`/memberships?list_id=${list.id}`)
    const own = memberships.find(({ user_id }: any) => user_id === member.id)
    await member.delete(`/memberships/${own.id}?revision=${own.revision}`)
    await owners.until((events) => events.length === 3)
    const { revision } = (await owner.get(`/lists/${list.id}`)).body
    await owner.delete(`/lists/${list.id}?revision=${revision}`)
    await owners.until((events) => events.length === 5)
    await quiet()
    expect(brief(members)).toEqual([`DELETE membership ${own.id}`, `UPDATE folder ${folders[1].id}`])
    expect(members.events[1].after.list_ids).toEqual([])
    expect(brief(owners).map((line) => line.replace(/ \d+$/, ""))).toEqual([
      "CREATE reminder",
      "CREATE setting",
      "DELETE membership",
      "DELETE list",
      "UPDATE folder",
    ])
  })

  it("tells each viewer their own read state of a comment that a member reads", async () => {
    const { owner, member, list } = await makePeople(node)
    const task = await makeTask(owner, list)
    const comment = (await owner.post("/task_comments", { task_id: task.id, text: "Look" })).body
    const listenings = [await account(owner), await account(member)]
    const reads = () =>
      listenings.map(({ events }) => events.map(({ actorId, subject }) => [Number(actorId), subject.read]))
    await member.patch(`/task_comments/${comment.id}`, { revision: 1, read: true })
    await Promise.all(listenings.map((one) => one.until((events) => events.length === 1)))
    await member.patch(`/task_comments/${comment.id}`, { revision: 2, read: false })
    await Promise.all(listenings.map((one) => one.until((events) => events.length === 2)))
    expect(reads()).toEqual([
      [
        [member.id, true],
        [member.id, true],
      ],
      [
        [member.id, true],
        [member.id, false],
      ],
    ])
    for (const { events } of listenings) expect(events[1].after.revision).toBe(3)
  })
})

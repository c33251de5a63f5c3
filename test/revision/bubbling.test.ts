import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, type TestNode } from "../support/node.js"

let node: TestNode
let owner: Person
let member: Person

beforeAll(async () => {
  node = await startNode()
  owner = await makePerson(node)
  member = await makePerson(node, "Bob")
})
afterAll(() => node.stop())

const revisionAt = async (person: Person, path: string): Promise<number> => (await person.get(path)).body.revision

/** What each revision grew by while something was done. */
async function growth(
  person: Person,
  paths: Record<string, string>,
  change: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const read = async () => Promise.all(Object.values(paths).map((path) => revisionAt(person, path)))
  const before = await read()
  await change()
  const after = await read()
  return Object.fromEntries(Object.keys(paths).map((name, index) => [name, (after[index] ?? 0) - (before[index] ?? 0)]))
}

describe("a change of what is in a task (§9)", () => {
  it.each([
    ["a subtask", (task: any) => owner.post("/subtasks", { task_id: task.id, title: "x" })],
    ["a note", (task: any) => owner.post("/notes", { task_id: task.id, content: "" })],
    ["a comment", (task: any) => owner.post("/task_comments", { task_id: task.id, text: "x" })],
    ["its order", (task: any) => owner.put(`/subtask_positions/${task.id}`, { revision: 1, values: [1] })],
  ])("%s bumps the task, its list and the root of every member, in the same answer", async (_, change) => {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const task = await makeTask(owner, list)
    const paths = { task: `/tasks/${task.id}`, list: `/lists/${list.id}`, root: "/root" }
    const membersRoot = await revisionAt(member, "/root")
    expect(await growth(owner, paths, () => change(task))).toEqual({ task: 1, list: 1, root: 1 })
    expect((await revisionAt(member, "/root")) - membersRoot).toBe(1)
  })
})

describe("a change of what is in a list (§9)", () => {
  it("bumps the list and the root", async () => {
    const list = await makeList(owner)
    const paths = { list: `/lists/${list.id}`, root: "/root" }
    const task = await makeTask(owner, list)
    expect(await growth(owner, paths, () => owner.patch(`/tasks/${task.id}`, { revision: 1, title: "x" }))).toEqual({
      list: 1,
      root: 1,
    })
    expect(
      await growth(owner, paths, () => owner.put(`/task_positions/${list.id}`, { revision: 1, values: [] })),
    ).toEqual({ list: 1, root: 1 })
    expect(
      await growth(owner, paths, () => owner.post("/memberships", { list_id: list.id, user_id: member.id })),
    ).toEqual({ list: 1, root: 1 })
    expect(await growth(owner, paths, () => owner.delete(`/tasks/${task.id}?revision=2`))).toEqual({ list: 1, root: 1 })
  })
})

describe("a change of what is the user's own (§9)", () => {
  it("bumps the user for settings and reminders, and the root for folders and the order of lists too", async () => {
    const task = await makeTask(owner, { id: owner.inboxId })
    const paths = { user: "/user", root: "/root" }
    expect(await growth(owner, paths, () => owner.post("/settings", { key: "k", value: "v" }))).toEqual({
      user: 1,
      root: 1,
    })
    expect(
      await growth(owner, paths, () => owner.post("/reminders", { task_id: task.id, date: "2031-01-01T00:00:00Z" })),
    ).toEqual({ user: 1, root: 1 })
    expect(await growth(owner, paths, () => owner.post("/folders", { title: "f", list_ids: [] }))).toEqual({
      user: 0,
      root: 1,
    })
    const { revision } = (await owner.get(`/list_positions/${owner.id}`)).body
    expect(
      await growth(owner, paths, () => owner.put(`/list_positions/${owner.id}`, { revision, values: [] })),
    ).toEqual({ user: 0, root: 1 })
    const user = (await owner.get("/user")).body
    expect(await growth(owner, paths, () => owner.patch("/user", { revision: user.revision, name: "Anna" }))).toEqual({
      user: 1,
      root: 1,
    })
  })
})

describe("the root (§9)", () => {
  it("never falls: not when a list is deleted, nor when it is left, nor when somebody is removed from it", async () => {
    const list = await makeList(owner)
    const membership = await addMember(node, list, member)
    for (let count = 0; count < 5; count++) await makeTask(owner, list)
    const before = await revisionAt(member, "/root")
    await owner.delete(`/memberships/${membership}?revision=1`)
    const removed = await revisionAt(member, "/root")
    expect(removed).toBeGreaterThan(before)
    const again = await addMember(node, list, member)
    const joined = await revisionAt(member, "/root")
    expect(joined).toBeGreaterThan(removed)
    await member.delete(`/memberships/${again}?revision=1`)
    const left = await revisionAt(member, "/root")
    expect(left).toBeGreaterThan(joined)
    const owners = await revisionAt(owner, "/root")
    await owner.delete(`/lists/${list.id}?revision=1`)
    expect(await revisionAt(owner, "/root")).toBeGreaterThan(owners)
  })

  it("tells somebody who is invited", async () => {
    const list = await makeList(owner)
    const before = await revisionAt(member, "/root")
    await owner.post("/memberships", { list_id: list.id, user_id: member.id })
    const invited = await revisionAt(member, "/root")
    expect(invited).toBeGreaterThan(before)
    await owner.patch(`/lists/${list.id}`, { revision: 1, title: "Renamed" })
    expect(await revisionAt(member, "/root")).toBeGreaterThan(invited)
  })
})

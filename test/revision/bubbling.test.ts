import { beforeAll, describe, expect, it } from "vitest"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

let node: TestNode
let owner: Person
let member: Person

beforeAll(async () => {
  node = await sharedNode()
  owner = await makePerson(node)
  member = await makePerson(node, "Bob")
})

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

describe("the triggers of a table", () => {
  const rows = (sql: string) => node.database.prisma.$queryRawUnsafe<any[]>(sql)

  it("count every column but those that only triggers write, so that no change of one goes untold", async () => {
    const watched = await rows(`
      select t.tgrelid::regclass::text as watched, own_columns(t.tgrelid) as wanted,
        (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a where a.attrelid = t.tgrelid and a.attnum = any (t.tgattr)) as columns
      from pg_trigger t where t.tgname in ('own_change', '00_record_change')`)
    expect(watched.length).toBe(30)
    for (const { watched: table, wanted, columns } of watched) expect([table, columns]).toEqual([table, wanted])
    const kept = await rows(
      "select table_name::text from information_schema.columns where table_schema = 'public' and column_name = 'own_revision' order by 1",
    )
    expect(kept.map(({ table_name }) => table_name)).toEqual(
      [...new Set(watched.map(({ watched: table }) => table))].sort(),
    )
  })

  it("know whether a list has webhooks, however they come and go", async () => {
    const list = await makeList(owner)
    await addMember(node, list, member)
    const isHooked = async () => (await rows(`select hooked from lists where id = ${list.id}`))[0].hooked
    const hook = async (person: Person) =>
      (
        await person.post("/webhooks", {
          list_id: list.id,
          url: "https://example.org/",
          processor_type: "generic",
          configuration: "",
        })
      ).body
    expect(await isHooked()).toBe(false)
    const [first, second] = [await hook(owner), await hook(member)]
    expect(await isHooked()).toBe(true)
    await owner.delete(`/webhooks/${first.id}?revision=${first.revision}`)
    expect(await isHooked()).toBe(true)
    const theirs = (await member.get("/memberships")).body.find(({ list_id }: any) => list_id === list.id)
    expect((await member.delete(`/memberships/${theirs.id}?revision=${theirs.revision}`)).status).toBe(204)
    expect(await rows(`select from webhooks where id = ${second.id}`)).toEqual([])
    // Whether a webhook of an account is told of the list is asked when the next event is; it finds none.
    await makeTask(owner, list)
    expect(await isHooked()).toBe(false)
    const [{ revision, own_revision: own }] = await rows(
      `select revision, own_revision from lists where id = ${list.id}`,
    )
    expect([own, revision > 1n]).toEqual([1n, true])
  })

  it("refuse what a row may not hold, from any writer", async () => {
    const list = await makeList(owner)
    const task = await makeTask(owner, list)
    const refusal = (sql: string) =>
      runSql(node.databaseUrl, sql).then(
        () => "taken",
        ({ constraint }) => constraint,
      )
    const set = (sql: string) => refusal(`update tasks set ${sql} where id = ${task.id}`)
    expect(await set("title = ''")).toBe("title_length")
    expect(await set("title = repeat('x', 256)")).toBe("title_length")
    expect(await set("title = repeat('x', 255)")).toBe("taken")
    expect(await set("recurrence_count = 1")).toBe("recurrence_pair")
    expect(await set("recurrence_type = 'day'")).toBe("recurrence_pair")
    expect(await set("recurrence_type = 'hour', recurrence_count = 1")).toBe("recurrence_type_known")
    expect(await set("recurrence_type = 'day', recurrence_count = 0")).toBe("recurrence_count_range")
    expect(await set("recurrence_type = 'day', recurrence_count = 1")).toBe("taken")
    expect(await set("completed = true")).toBe("completed_since")
    expect(await refusal(`update lists set title = '' where id = ${list.id}`)).toBe("title_length")
    expect(await refusal(`update lists set list_type = 'x' where id = ${list.id}`)).toBe("list_type_known")
    const insert = "insert into tasks (list_id, title, created_by_id) values"
    expect(await refusal(`${insert} (${list.id}, '', ${owner.id})`)).toBe("title_length")
  })
})

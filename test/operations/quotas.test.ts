import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { importLists } from "../../src/exchange/import-lists.js"
import { statement } from "../../src/statement.js"
import { runCli } from "../support/cli.js"
import { deadlocksDuring } from "../support/deadlocks.js"
import { untilLocked } from "../support/locks.js"
import { addMember, makeList, makePerson, makeTask, type Person } from "../support/make.js"
import { startNode, startNodeOn, type TestNode } from "../support/node.js"

const QUOTAS = { tasks: 5, lists: 3, fileBytes: 1_000 }

let node: TestNode
beforeAll(async () => {
  node = await startNode({ quotas: QUOTAS })
})
afterAll(() => node.stop())

/** Somebody with a list that has so many tasks. */
async function withTasks(count: number): Promise<{ owner: Person; list: any; tasks: any[] }> {
  const owner = await makePerson(node)
  const list = await makeList(owner)
  const tasks = []
  for (let made = 0; made < count; made++) tasks.push(await makeTask(owner, list))
  return { owner, list, tasks }
}

const usageOf = async (person: Person): Promise<any> =>
  (
    await person.graphql(
      "{ viewer { usage { tasks { ...U } lists { ...U } fileBytes { ...U } } } } fragment U on UsageOf { used quota }",
    )
  ).data.viewer.usage
const countIn = async (person: Person, list: any): Promise<number> =>
  (await person.get(`/tasks?list_id=${list.id}`)).body.length
const inner = (id: string, path: string, body: unknown, method = "POST") => ({
  id,
  method,
  path: `/api/v1${path}`,
  body,
})

describe("QUOTA_TASKS", () => {
  it("refuses the task that is one too many with 422, and names quota and use, over REST and GraphQL", async () => {
    const { owner, list } = await withTasks(5)
    const { status, body } = await owner.post("/tasks", { list_id: list.id, title: "One more" })
    const sentence = "allows 5 tasks in all your lists, and you would have 6"
    expect([status, body]).toEqual([
      422,
      {
        error: {
          type: "validation_error",
          translation_key: "api_error_validation_error",
          message: `Invalid: quota_tasks ${sentence}.`,
          quota_tasks: [sentence],
        },
      },
    ])
    const { data, errors } = await owner.graphql(
      'mutation ($id: ID!) { createTask(input: { listId: $id, title: "One more" }) { id } }',
      { id: String(list.id) },
    )
    expect(data).toBeNull()
    expect(errors?.[0]).toMatchObject({
      message: `Invalid: quotaTasks ${sentence}.`,
      extensions: { code: "VALIDATION_ERROR", fields: { quotaTasks: [sentence] } },
    })
    expect(await countIn(owner, list)).toBe(5)
    expect((await owner.get(`/lists/${list.id}`)).body.revision).toBe(list.revision + 5)
  })

  it("counts completed tasks and every list of the owner, and gives back what is deleted", async () => {
    const { owner, list, tasks } = await withTasks(4)
    await owner.patch(`/tasks/${tasks[0].id}`, { revision: 1, completed: true })
    await makeTask(owner, { id: owner.inboxId })
    expect((await owner.post("/tasks", { list_id: list.id, title: "No" })).status).toBe(422)
    await owner.delete(`/tasks/${tasks[1].id}?revision=1`)
    expect((await owner.post("/tasks", { list_id: list.id, title: "Yes" })).status).toBe(201)
    const { body } = await owner.get(`/lists/${list.id}`)
    await owner.delete(`/lists/${list.id}?revision=${body.revision}`)
    expect((await usageOf(owner)).tasks).toEqual({ used: 1, quota: 5 })
  })

  it("is of the owner, no matter which member writes", async () => {
    const { owner, list } = await withTasks(5)
    const bob = await makePerson(node, "Bob")
    await addMember(node, list, bob)
    const refused = await bob.post("/tasks", { list_id: list.id, title: "No" })
    expect([refused.status, refused.body.error.quota_tasks]).toEqual([422, ["is reached by the owner of this list"]])
    const graphql = await bob.graphql(
      'mutation ($id: ID!) { createTask(input: { listId: $id, title: "No" }) { id } }',
      { id: String(list.id) },
    )
    expect(graphql.errors?.[0]?.extensions?.fields).toEqual({ quotaTasks: ["is reached by the owner of this list"] })
    const own = await makeList(bob)
    expect((await bob.post("/tasks", { list_id: own.id, title: "Yes" })).status).toBe(201)
    expect((await usageOf(owner)).tasks.used).toBe(5)
    expect((await usageOf(bob)).tasks.used).toBe(1)
  })

  it("is held by moves to another owner's list, and not by moves among one's own", async () => {
    const { owner, list, tasks } = await withTasks(5)
    const bob = await makePerson(node, "Bob")
    await addMember(node, list, bob)
    const own = await makeList(bob)
    const task = await makeTask(bob, own)
    const refused = await bob.patch(`/tasks/${task.id}`, { revision: 1, list_id: list.id })
    expect([refused.status, Object.keys(refused.body.error)]).toContain(422)
    expect(await countIn(bob, own)).toBe(1)
    expect((await owner.patch(`/tasks/${tasks[0].id}`, { revision: 1, list_id: owner.inboxId })).status).toBe(200)
  })

  it("holds the next task of one that recurs: completing is refused without room, and loses nothing", async () => {
    const { owner, list, tasks } = await withTasks(4)
    const due = { due_date: "2026-01-01", recurrence_type: "day", recurrence_count: 1 }
    const task = await makeTask(owner, list, due)
    const complete = () => owner.patch(`/tasks/${task.id}`, { revision: 1, completed: true })
    const { status, body } = await complete()
    expect([status, body.error.quota_tasks]).toEqual([422, ["allows 5 tasks in all your lists, and you would have 6"]])
    expect((await owner.get(`/tasks/${task.id}`)).body).toMatchObject({ completed: false, revision: 1, ...due })
    await owner.delete(`/tasks/${tasks[0].id}?revision=1`)
    expect((await complete()).status).toBe(200)
    expect((await usageOf(owner)).tasks).toEqual({ used: 5, quota: 5 })
    const open = (await owner.get(`/tasks?list_id=${list.id}`)).body
    expect(open.filter((one: any) => one.recurrence_type === "day")).toHaveLength(1)
  })

  it("counts each of several next tasks that one statement makes", async () => {
    const { owner, list } = await withTasks(1)
    const due = { due_date: "2026-01-01", recurrence_type: "day", recurrence_count: 1 }
    for (let made = 0; made < 3; made++) await makeTask(owner, list, due)
    const completeAll = statement(
      "test_complete_all",
      "update tasks set completed = true, completed_at = now(), updated_by_id = $2::bigint where list_id = $1::bigint and recurrence_type is not null returning id",
      ([id]) => id,
    )
    await expect(node.database.run(completeAll, [list.id, owner.id])).rejects.toThrow("quotaTasks")
    expect((await usageOf(owner)).tasks.used).toBe(4)
  })

  it("lets exactly as many through of 40 at once, into one list and into several", async () => {
    const { owner, list } = await withTasks(2)
    const other = await makeList(owner, "Other")
    const sent = Array.from({ length: 40 }, (_, index) =>
      owner.post("/tasks", { list_id: [list.id, other.id, owner.inboxId][index % 3], title: `Task ${index}` }),
    )
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(3)
    expect(statuses.filter((status) => status === 422)).toHaveLength(37)
    expect((await usageOf(owner)).tasks.used).toBe(5)
  })
})

describe("two who write at once", () => {
  const insertTask = statement(
    "test_insert_task",
    "insert into tasks (list_id, title, created_by_id, updated_by_id) values ($1::bigint, 'T', $2::bigint, $2::bigint) returning id",
    ([id]) => id,
  )

  it("see each other's, also in different lists, and also what is not committed yet", async () => {
    const { owner, list } = await withTasks(4)
    let late: Promise<any> | undefined
    await node.database.transaction(async (inside) => {
      await inside.run(insertTask, [list.id, owner.id])
      late = owner.post("/tasks", { list_id: owner.inboxId, title: "Late" })
      await untilLocked(node)
    })
    expect((await late).status).toBe(422)
  })

  it("gain by what is rolled back", async () => {
    const { owner, list } = await withTasks(4)
    let late: Promise<any> | undefined
    const ended = node.database.transaction(async (inside) => {
      await inside.run(insertTask, [list.id, owner.id])
      late = owner.post("/tasks", { list_id: owner.inboxId, title: "Late" })
      await untilLocked(node)
      throw new Error("rolled back")
    })
    await expect(ended).rejects.toThrow("rolled back")
    expect((await late).status).toBe(201)
  })
})

describe("a quota that is reached in the middle", () => {
  it("of an atomic batch leaves nothing of it, and the answer names the request", async () => {
    const { owner, list } = await withTasks(3)
    const requests = ["a", "b", "c", "d"].map((id) => inner(id, "/tasks", { list_id: list.id, title: id }))
    const { status, body } = await owner.post("/batch", { requests })
    expect([status, body.error.request, body.error.quota_tasks]).toEqual([
      422,
      "c",
      ["allows 5 tasks in all your lists, and you would have 6"],
    ])
    expect(await countIn(owner, list)).toBe(3)
  })

  it("of a batch that makes room first is not reached", async () => {
    const { owner, list, tasks } = await withTasks(5)
    const requests = [
      { id: "d", method: "DELETE", path: `/api/v1/tasks/${tasks[0].id}?revision=1` },
      inner("a", "/tasks", { list_id: list.id, title: "a" }),
      { id: "e", method: "DELETE", path: `/api/v1/tasks/${tasks[1].id}?revision=1` },
      inner("b", "/tasks", { list_id: list.id, title: "b" }),
    ]
    expect((await owner.post("/batch", { requests })).status).toBe(200)
    expect(await countIn(owner, list)).toBe(5)
  })

  it("lets batches and single writers of one list go by near it without a deadlock", async () => {
    const { owner, list, tasks } = await withTasks(3)
    const member = await makePerson(node, "Bob")
    await addMember(node, list, member)
    const found = await deadlocksDuring(async () => {
      const batch = (at: number) =>
        owner.post("/batch", {
          requests: [
            inner("p", `/tasks/${tasks[0].id}`, { revision: 1, title: `${at}` }, "PATCH"),
            inner("t", "/tasks", { list_id: list.id, title: "x" }),
          ],
        })
      const single = () => member.post("/tasks", { list_id: list.id, title: "y" })
      const moved = () => member.patch(`/tasks/${tasks[1].id}`, { revision: 1, list_id: list.id })
      const replies = await Promise.all(Array.from({ length: 10 }, (_, at) => [batch(at), single(), moved()]).flat())
      for (const { status } of replies) expect([200, 201, 409, 422]).toContain(status)
    })
    expect(found).toBe(0)
    expect(await countIn(owner, list)).toBe(5)
  })

  it("of a batch of requests each for itself refuses those beyond it", async () => {
    const { owner, list } = await withTasks(3)
    const requests = ["a", "b", "c", "d"].map((id) => inner(id, "/tasks", { list_id: list.id, title: id }))
    const { body } = await owner.post("/batch", { atomic: false, requests })
    expect(body.responses.map(({ status }: any) => status)).toEqual([201, 201, 422, 422])
    expect(await countIn(owner, list)).toBe(5)
  })

  it("of an @atomic mutation leaves nothing, and the error has its path", async () => {
    const { owner, list } = await withTasks(3)
    const fields = ["a", "b", "c"].map(
      (at) => `${at}: createTask(input: { listId: ${list.id}, title: "${at}" }) { id }`,
    )
    const { data, errors } = await owner.graphql(`mutation @atomic { ${fields.join(" ")} }`)
    expect([data, errors?.[0]?.path]).toEqual([null, ["c"]])
    expect(await countIn(owner, list)).toBe(3)
  })
})

describe("QUOTA_LISTS", () => {
  it("counts the lists that a user owns, beside the inbox and those of others", async () => {
    const ann = await makePerson(node)
    const bob = await makePerson(node, "Bob")
    const lists = [await makeList(ann), await makeList(ann), await makeList(ann)]
    await addMember(node, await makeList(bob), ann)
    const { status, body } = await ann.post("/lists", { title: "One more" })
    expect([status, body.error.quota_lists]).toEqual([422, ["allows a user 3 lists, and you would have 4"]])
    const graphql = await ann.graphql('mutation { createList(input: { title: "One more" }) { id } }')
    expect(graphql.errors?.[0]?.extensions?.fields).toEqual({
      quotaLists: ["allows a user 3 lists, and you would have 4"],
    })
    expect((await usageOf(ann)).lists).toEqual({ used: 3, quota: 3 })
    expect((await ann.delete(`/lists/${lists[0].id}?revision=1`)).status).toBe(204)
    expect((await ann.post("/lists", { title: "Instead" })).status).toBe(201)
  })
})

describe("QUOTA_FILES_BYTES", () => {
  const upload = (who: Person, size: number) =>
    who.post("/uploads", { file_name: "a.txt", content_type: "text/plain", file_size: size })

  it("counts files and what is being uploaded, before a byte is sent", async () => {
    const { owner } = await withTasks(1)
    expect((await upload(owner, 600)).status).toBe(201)
    expect((await upload(owner, 400)).status).toBe(201)
    const { status, body } = await upload(owner, 1)
    expect([status, body.error.quota_files_bytes]).toEqual([
      422,
      ["allows 1000 bytes of files of a user, and you would have 1001"],
    ])
    expect((await usageOf(owner)).fileBytes).toEqual({ used: 1_000, quota: 1_000 })
    expect(await node.database.prisma.upload.count({ where: { userId: owner.id } })).toBe(2)
    const other = await makePerson(node, "Bob")
    expect((await upload(other, 1_000)).status).toBe(201)
    expect((await upload(other, 1_000)).status).toBe(422)
  })

  it("counts a file once, and gives it back when it is deleted", async () => {
    const { owner, tasks } = await withTasks(1)
    const { body } = await upload(owner, 900)
    const id = BigInt(body.id)
    await node.database.prisma.upload.update({ where: { id }, data: { state: "finished", finishedAt: new Date() } })
    const file = (await owner.post("/files", { upload_id: body.id, task_id: tasks[0].id })).body
    expect((await usageOf(owner)).fileBytes.used).toBe(900)
    expect((await upload(owner, 200)).status).toBe(422)
    expect((await owner.delete(`/files/${file.id}?revision=${file.revision}`)).status).toBe(204)
    expect((await upload(owner, 200)).status).toBe(201)
  })

  it("lets exactly as many through of 20 uploads at once", async () => {
    const owner = await makePerson(node)
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => upload(owner, 300)))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(3)
  })
})

describe("an import", () => {
  const folder = mkdtempSync(join(tmpdir(), "tandem-quota-"))
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  })

  /** A backup with lists of so many tasks. */
  function backupOf(counts: Readonly<Record<string, number>>): string {
    const at = "2019-05-01T12:00:00.000Z"
    const lists = Object.keys(counts).map((title, index) => ({
      id: index + 10,
      title,
      list_type: "list",
      created_at: at,
    }))
    const tasks = lists.flatMap(({ id, title }) =>
      Array.from({ length: counts[title] ?? 0 }, (_, index) => ({
        id: id * 1_000 + index,
        list_id: id,
        title: `${title} ${index}`,
        created_at: at,
      })),
    )
    const path = join(folder, "backup.json")
    writeFileSync(path, JSON.stringify({ user: 1, exported: at, data: { lists, tasks } }))
    return path
  }
  const run = (file: string, person: Person, ...more: string[]) =>
    runCli("import", file, "--user", person.email, ...more)

  beforeAll(() => {
    vi.stubEnv("DATABASE_URL", node.databaseUrl)
    vi.stubEnv("QUOTA_TASKS", "5")
    vi.stubEnv("QUOTA_LISTS", "3")
  })

  it.each([[], ["--dry-run"]])("that does not fit makes nothing, and says where: %s", async (...more) => {
    const { owner } = await withTasks(1)
    const { code, err } = await run(backupOf({ Trip: 2, Home: 3, Work: 1 }), owner, ...more)
    expect(code).toBe(1)
    expect(err).toContain(
      'QUOTA_LISTS allows 3 lists; there are 1, and 3 would be new. The first list that does not fit is "Work". Nothing was imported',
    )
    const { err: ofTasks } = await run(backupOf({ Trip: 2, Home: 3 }), owner, ...more)
    expect(ofTasks).toContain(
      'QUOTA_TASKS allows 5 tasks; there are 1, and 5 would be new. The first list that does not fit is "Home". Nothing was imported',
    )
    expect(await usageOf(owner)).toMatchObject({ tasks: { used: 1 }, lists: { used: 1 } })
  })

  it("that fits is made, also again, when nothing of it is new", async () => {
    const { owner } = await withTasks(1)
    const file = backupOf({ Trip: 2, Home: 2 })
    expect((await run(file, owner)).code).toBe(0)
    expect((await run(file, owner)).code).toBe(0)
    expect(await usageOf(owner)).toMatchObject({ tasks: { used: 5 }, lists: { used: 3 } })
  })

  it("that another writer leaves no room for goes on, and its report says where", async () => {
    const { owner } = await withTasks(1)
    const at = "2019-05-01T12:00:00.000Z"
    const list = (title: string) => ({
      key: title,
      title,
      isInbox: false,
      folder: undefined,
      createdAt: at,
      tasks: [],
    })
    let batch = 0
    const database = {
      ...node.database,
      async transaction(work: any) {
        if (++batch === 2) await makeList(owner, "Meanwhile")
        return node.database.transaction(work)
      },
    } as typeof node.database
    const { counts, remarks } = await importLists(
      database,
      String(owner.id),
      { lists: [list("Trip"), list("Home")], remarks: [] } as any,
      { isDryRun: false, isAgain: false, requestId: "import-x", onProgress() {} },
    )
    expect([counts.lists.made, remarks]).toEqual([
      1,
      [
        {
          place: 'list "Home"',
          effect: "skipped",
          reason: "Invalid: quotaLists allows a user 3 lists, and you would have 4; nothing of it was imported",
        },
      ],
    ])
  })

  it("of some lists only counts these", async () => {
    const { owner } = await withTasks(1)
    expect((await run(backupOf({ Trip: 2, Home: 30 }), owner, "--list", "Trip")).code).toBe(0)
    expect((await usageOf(owner)).tasks.used).toBe(3)
  })
})

describe("viewer.usage", () => {
  it("is counted once an operation, in however many places it is asked for", async () => {
    const { owner, list } = await withTasks(4)
    const searching = vi.spyOn(node.database.searching, "run")
    const { data } = await owner.graphql(
      `{ tasks(listId: ${list.id}) { createdBy { usage { tasks { used } } again: usage { tasks { used } } } } }`,
    )
    expect(data.tasks.map(({ createdBy }: any) => createdBy.usage.tasks.used)).toEqual([4, 4, 4, 4])
    expect(searching.mock.calls.filter(([{ name }]) => name === "usage_of_user")).toHaveLength(1)
    searching.mockRestore()
  })

  it("shows what a user has and may have, to that user only", async () => {
    const { owner, list } = await withTasks(2)
    expect(await usageOf(owner)).toEqual({
      tasks: { used: 2, quota: 5 },
      lists: { used: 1, quota: 3 },
      fileBytes: { used: 0, quota: 1_000 },
    })
    const bob = await makePerson(node, "Bob")
    await addMember(node, list, bob)
    const { errors } = await bob.graphql("{ users { id usage { tasks { used } } } }")
    expect(errors?.[0]?.extensions?.code).toBe("PERMISSION_ERROR")
  })

  it("has no quotas where none are set, and nothing is refused", async () => {
    const { owner, list } = await withTasks(5)
    const other = await startNodeOn(node.databaseUrl)
    try {
      const there = { ...owner.headers, "Content-Type": "application/json" }
      const made = await fetch(`${other.url}/api/v1/tasks`, {
        method: "POST",
        headers: there,
        body: JSON.stringify({ list_id: list.id, title: "Beyond" }),
      })
      expect(made.status).toBe(201)
      const usage = await fetch(`${other.url}/graphql`, {
        method: "POST",
        headers: there,
        body: JSON.stringify({ query: "{ viewer { usage { tasks { used quota } } } }" }),
      })
      expect(await usage.json()).toEqual({ data: { viewer: { usage: { tasks: { used: 6, quota: null } } } } })
    } finally {
      await other.stop()
    }
  })
})

import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findTasks, type Way } from "../../src/resources/task/task-find.statements.js"
import { createTestDatabase, type TestDatabase } from "../support/postgres.js"

// How PostgreSQL finds tasks, and what is in them, in a database in which each of two viewers has half of it.

const WAYS: readonly Way[] = ["assignee", "assigneeCompleted", "due", "completedAt", "completed", "list"]

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const tables = ["users", "lists", "memberships", "tasks", "notes", "subtasks", "task_comments", "files"]
  await client.query(tables.map((table) => `alter table ${table} disable trigger user`).join("; "))
  await client.query(`
    set plan_cache_mode = force_generic_plan;
    insert into users (id, name, email) select n, 'u' || n, 'u' || n || '@example.org' from generate_series(1, 2) n;
    insert into lists (id, title, list_type, owner_id, created_by_id) select n, 'l', 'list', 1 + n % 2, 1 from generate_series(1, 100) n;
    insert into memberships (list_id, user_id, state) select n, 1 + n % 2, 'accepted' from generate_series(1, 100) n;
    insert into tasks (id, list_id, title, created_by_id, assignee_id, due_date, completed, completed_at)
      select n, 1 + n % 20, 'Buy something ' || n, 1, case when n % 3 = 0 then 1 + n % 2 end, date '2030-01-01' + n % 700, n % 2 = 0,
        case when n % 2 = 0 then timestamptz '2030-01-01' + n * interval '1 minute' end from generate_series(1, 42000) n;
    insert into notes (task_id, content, created_by_id) select n, 'note ' || n, 1 from generate_series(1, 40000) n;
    insert into subtasks (task_id, title, created_by_id) select n, 'step ' || n, 1 from generate_series(1, 40000) n;
    insert into task_comments (task_id, text, created_by_id) select n, 'word ' || n, 1 from generate_series(1, 40000) n;
    insert into files (task_id, user_id, file_name, content_type, file_size, storage_key)
      select n, 1, 'file ' || n, '', 1, 'k' || n from generate_series(1, 40000) n;
    analyze`)
}, 60_000)
afterAll(async () => {
  await client.end()
  await database.drop()
})

describe.each(WAYS)("finding tasks by %s", (way) => {
  it.each([false, true])("reads no table of everybody's, with words: %s", async (hasWords) => {
    const { name, text } = findTasks(way, "CREATED_AT", false, hasWords)
    await client.query(`prepare ${name} as ${text}`)
    const values = hasWords ? [...Array(15).fill("null"), 51, "'milk'"] : [...Array(15).fill("null"), 51]
    const { rows } = await client.query(`explain execute ${name} (${values})`)
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
    expect(plan).not.toMatch(/Seq Scan on (tasks|notes|subtasks|task_comments|files)/)
    expect(plan).toMatch(/(Index Scan using \w+ on|Bitmap Heap Scan on) tasks/)
  })
})

describe("finding what is completed in that order", () => {
  it.each([false, true])("takes no more of a list than the page can hold, reversed: %s", async (isReversed) => {
    const { name, text } = findTasks("completedAt", "COMPLETED_AT", isReversed, false)
    const [direction, isBehind] = isReversed ? ["desc", "<"] : ["asc", ">"]
    const wanted = async (condition: string) => {
      const { rows } =
        await client.query(`select t.id from tasks t join memberships m on m.list_id = t.list_id and m.user_id = 2
        where t.completed_at is not null and t.id % 7 > 0 and ${condition} order by t.completed_at ${direction}, t.id ${direction} limit 51`)
      return rows.map(({ id }) => id)
    }
    await client.query("update tasks set starred = id % 7 > 0")
    const values = ["2", null, null, true, ...Array(8).fill(null), "COMPLETED_AT", null, null, 51]
    const first = await client.query({ text, values, rowMode: "array" })
    const ids = first.rows.map(([id]) => id)
    expect(ids).toEqual(await wanted("true"))
    const [key, last] = [first.rows.at(-1)?.at(-1), ids.at(-1)]
    const next = await client.query({ text, values: values.with(13, key).with(14, last), rowMode: "array" })
    expect(next.rows.map(([id]) => id)).toEqual(
      await wanted(
        `(t.completed_at, t.id) ${isBehind} (select x.completed_at, x.id from tasks x where x.id = ${last})`,
      ),
    )
    await client.query(`prepare ${name} as ${text}`)
    const given = values.map((value) => (value === null ? "null" : `'${value}'`))
    const { rows } = await client.query(`explain (analyze, format json) execute ${name} (${given})`)
    expect(JSON.stringify(rows)).toContain('"Node Type":"Limit","Parent Relationship":"Inner"')
  })
})

describe("finding a text in more than 20,000 tasks", () => {
  const DUE = "coalesce('0' || t.due_date::text, '1')"
  async function run(words: string, behind: [string | null, string | null] = [null, null]) {
    const { text } = findTasks("list", "DUE_DATE", false, true)
    const values = ["1", ...Array(11).fill(null), "DUE_DATE", ...behind, 51, words]
    const { rows } = await client.query({ text: `explain (analyze, format json) ${text}`, values })
    const found = await client.query({ text, values, rowMode: "array" })
    return { plan: JSON.stringify(rows), ids: found.rows.map(([id]) => id), key: found.rows.at(-1)?.at(-2) }
  }
  const wanted = async (condition: string) => {
    const { rows } =
      await client.query(`select t.id from tasks t join memberships m on m.list_id = t.list_id and m.user_id = 1
      where ${condition} order by ${DUE} collate "C", t.id limit 51`)
    return rows.map(({ id }) => id)
  }
  const NOT_RUN = /"Relation Name":"tasks"[^{}]*"Actual Loops":0[,}]/

  it("stops at the page where many hold it, and finds the same", async () => {
    const page = await run("buy some")
    expect(page.ids).toEqual(await wanted("true"))
    expect(page.plan).toMatch(NOT_RUN)
    const next = await run("buy some", [page.key, page.ids.at(-1)])
    expect(next.ids).toEqual(
      await wanted(`(${DUE} collate "C", t.id) > ('${page.key}' collate "C", ${page.ids.at(-1)})`),
    )
  })

  it("looks at all of them where few do", async () => {
    const { ids } = await run("something 4199")
    expect(ids).toEqual(await wanted("t.title like '%something 4199%'"))
    expect(ids).not.toEqual([])
  })
})

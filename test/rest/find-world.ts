import { addMember, makeList, makePerson, type Person } from "../support/make.js"
import type { TestNode } from "../support/node.js"
import { runSql } from "../support/postgres.js"

// A few lists with much in them, and a model in memory that says what is to be found there.

const WORDS = [
  "Buy milk",
  "buy MILK today",
  "Straße",
  "STRASSE 5",
  "ﬁnd the ﬁle",
  "Ｆｕｌｌ width",
  "买牛奶和面包",
  "Cafe\u0301",
  "Café au lait",
  "100 % sure",
  "under_score",
  "back\\slash",
  ".* [a-z]+ $1",
  "ΟΔΟΣ οδός",
  "Landingpages",
]
const TEXTS = [
  "milk",
  "MILK",
  "strasse",
  "ß",
  "fi",
  "full",
  "牛奶",
  "café",
  "CAFÉ",
  "%",
  "_",
  "\\",
  ".*",
  "σ",
  "landing",
  "a",
  "zzz",
]
const ORDERS = ["DUE_DATE", "CREATED_AT", "COMPLETED_AT", "TITLE", "ID"] as const

export type Row = Record<string, any>
type Kind = "note" | "subtask" | "task_comment" | "file"
type Child = { readonly kind: Kind; readonly id: string; readonly taskId: string; readonly text: string }

/** Who looks, where, and what there is. */
export type World = {
  /** Three have two lists each; the others are members of some, invited to others, and the last of none. */
  readonly people: readonly Person[]
  readonly lists: readonly any[]
  /** What the viewer is to find, in the order that is asked for, as answers tell it. */
  expected(viewer: Person, filter: Row, order: string): { id: string; matches: Row[] | null }[]
  randomFilter(roll: Dice): Row
}

export type Dice = (sides: number) => number

/** The same numbers in every run. */
export function dice(seed: number): Dice {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

export const randomOrder = (roll: Dice): string => `${ORDERS[roll(ORDERS.length)]}_${roll(2) ? "ASC" : "DESC"}`

const sqlText = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Makes it in the database of a node. */
export async function makeWorld(node: TestNode): Promise<World> {
  const open = new Map<number, Set<string>>()
  const rowsOf = (sql: string): Promise<Row[]> => node.database.prisma.$queryRawUnsafe(sql) as Promise<Row[]>
  const roll = dice(11)
  const people = await Promise.all(
    ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus"].map((name) => makePerson(node, name)),
  )
  const owners = people.slice(0, 3)
  const lists: any[] = []
  for (const owner of [...owners, ...owners]) lists.push(await makeList(owner))
  for (const person of people) open.set(person.id, new Set())
  for (const [at, list] of lists.entries())
    for (const [who, person] of people.slice(0, -1).entries())
      if (who === at % 3) open.get(person.id)?.add(String(list.id))
      else if (roll(3) > 0) {
        const state = roll(3) === 0 ? "pending" : "accepted"
        await addMember(node, list, person, state)
        if (state === "accepted") open.get(person.id)?.add(String(list.id))
      }
  const word = () => sqlText(WORDS[roll(WORDS.length)] as string)
  const values = Array.from({ length: 150 }, () => {
    const isDone = roll(3) === 0
    const assignee = roll(3) === 0 ? people[roll(people.length)]?.id : "null"
    const due = roll(3) === 0 ? "null" : `date '2030-01-01' + ${roll(12)}`
    return `(${lists[roll(5)].id}, ${word()}, ${assignee}, ${due}, ${roll(2) === 0}, ${isDone}, ${isDone ? `timestamptz '2029-06-01' + ${roll(8)} * interval '1 day'` : "null"},
      ${people[0]?.id}, timestamptz '2029-01-01' + ${roll(10)} * interval '1.5 seconds')`
  })
  await runSql(
    node.databaseUrl,
    `insert into tasks (list_id, title, assignee_id, due_date, starred, completed, completed_at, created_by_id, created_at) values ${values}`,
  )
  const ids = lists.map(({ id }) => id)
  const tasks = await rowsOf(
    `select id::text, list_id::text, title, assignee_id::text, due_date::text as due, starred, completed, completed_at, created_at,
       created_at::text as created_text, completed_at::text as completed_text from tasks where list_id in (${ids}) order by tasks.id`,
  )
  const some = () => tasks[roll(tasks.length)]?.id
  const many = (count: number, make: () => string) => Array.from({ length: count }, make).join(", ")
  await runSql(
    node.databaseUrl,
    `insert into notes (task_id, content, created_by_id) values ${many(60, () => `(${some()}, 'see: ' || ${word()}, 1)`)};
     insert into subtasks (task_id, title, created_by_id) values ${many(60, () => `(${some()}, ${word()}, 1)`)};
     insert into task_comments (task_id, text, created_by_id) values ${many(40, () => `(${some()}, ${word()}, 1)`)};
     insert into files (task_id, user_id, file_name, content_type, file_size, storage_key)
       values ${many(30, () => `(${some()}, ${people[0]?.id}, ${word()} || '.pdf', '', 1, gen_random_uuid()::text)`)}`,
  )
  const inLists = `join tasks t on t.id = x.task_id where t.list_id in (${ids}) order by x.id`
  const read = async (kind: Kind, table: string, column: string) =>
    (
      await rowsOf(`select x.id::text, x.task_id::text as "taskId", x.${column} as text from ${table} x ${inLists}`)
    ).map((row) => ({ kind, ...row }) as Child)
  const children: Child[] = [
    ...(await read("note", "notes", "content")),
    ...(await read("subtask", "subtasks", "title")),
    ...(await read("task_comment", "task_comments", "text")),
    ...(await read("file", "files", "file_name")),
  ]

  const matched = new Map<string, Map<string, Row[]>>()
  /** Where tasks hold a text, as answers tell it, by their ids. */
  function matchesOf(text: string): Map<string, Row[]> {
    const known = matched.get(text)
    if (known !== undefined) return known
    const places = new Map<string, Row[]>()
    const note = (taskId: string, type: string, id: string) =>
      places.set(taskId, [...(places.get(taskId) ?? []), { type, id }])
    for (const { id, title } of tasks) if (holds(title, text)) note(id, "task", id)
    for (const { kind, id, taskId, text: inside } of children) if (holds(inside, text)) note(taskId, kind, id)
    matched.set(text, places)
    return places
  }

  function isWanted(viewer: Person, filter: Row, task: Row): boolean {
    const { listIds, completed, starred, assigneeId, due, completedAt, createdAt, text } = filter
    return (
      (open.get(viewer.id)?.has(task.list_id) ?? false) &&
      (listIds === undefined || listIds.includes(task.list_id)) &&
      (completed === undefined || task.completed === completed) &&
      (starred === undefined || task.starred === starred) &&
      (assigneeId === undefined || task.assignee_id === (assigneeId === "me" ? String(viewer.id) : assigneeId)) &&
      (due === undefined || ("none" in due ? (task.due === null) === due.none : isIn(task.due ?? undefined, due))) &&
      (completedAt === undefined || isIn(instant(task.completed_at), completedAt)) &&
      (createdAt === undefined || isIn(instant(task.created_at), createdAt)) &&
      (text === undefined || matchesOf(text).has(task.id))
    )
  }

  function randomFilter(roll: (sides: number) => number): Row {
    const some = <T>(...values: T[]): T => values[roll(values.length)] as T
    const filter: Row = {}
    const maybe = (name: string, oneIn: number, make: () => unknown) => {
      if (roll(oneIn) === 0) filter[name] = make()
    }
    maybe("listIds", 4, () => [...lists.filter(() => roll(2) === 0).map(({ id }) => String(id)), "99999999"])
    maybe("completed", 3, () => roll(2) === 0)
    maybe("starred", 4, () => roll(2) === 0)
    maybe("assigneeId", 4, () => some("me", "me", String(people[roll(people.length)]?.id), "99999999", "0"))
    const day = (offset: number) => `2030-01-${String(1 + offset).padStart(2, "0")}`
    maybe("due", 3, () =>
      some<Row>(
        { none: true },
        { none: false },
        { from: day(roll(8)) },
        { to: day(roll(8)) },
        { from: day(2), to: day(2 + roll(6)) },
      ),
    )
    const at = (offset: number) => new Date(Date.UTC(2029, 5, 1 + offset)).toISOString()
    maybe("completedAt", 5, () =>
      some<Row>({ from: at(roll(8)) }, { to: at(roll(8)) }, { from: at(1), to: at(1 + roll(6)) }),
    )
    const second = (offset: number) => new Date(Date.UTC(2029, 0, 1, 0, 0, 0, offset * 500)).toISOString()
    maybe("createdAt", 6, () => some<Row>({ from: second(roll(20)) }, { to: second(roll(20)) }))
    maybe("text", 3, () => TEXTS[roll(TEXTS.length)])
    return filter
  }

  return {
    people,
    lists,
    randomFilter,
    expected: (viewer, filter, order) =>
      inOrder(
        tasks.filter((task) => isWanted(viewer, filter, task)),
        order,
      ).map(({ id }) => ({ id, matches: filter.text === undefined ? null : (matchesOf(filter.text).get(id) ?? []) })),
  }
}

const fold = (text: string): string => text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ß", "ss")
const holds = (text: string, sought: string): boolean =>
  fold(text).replaceAll("ς", "σ").includes(fold(sought).replaceAll("ς", "σ"))
const isIn = (value: string | undefined, { from, to }: { from?: string; to?: string }) =>
  value !== undefined && (from === undefined || value >= from) && (to === undefined || value <= to)
const instant = (value: Date | null): string | undefined => value?.toISOString()

const keys = new WeakMap<Row, Readonly<Record<string, Buffer | null>>>()

/** What a task is ordered by, by the name of the order. */
function keysOf(task: Row): Readonly<Record<string, Buffer | null>> {
  const known = keys.get(task)
  if (known !== undefined) return known
  const texts = {
    DUE_DATE: task.due,
    CREATED_AT: task.created_text,
    COMPLETED_AT: task.completed_text,
    TITLE: fold(task.title),
    ID: "",
  }
  const made = Object.fromEntries(
    Object.entries(texts).map(([by, text]) => [by, text === null ? null : Buffer.from(text)]),
  )
  keys.set(task, made)
  return made
}

function inOrder(found: Row[], order: string): Row[] {
  const [, by = "", direction] = /^(.*)_(ASC|DESC)$/.exec(order) ?? []
  const sign = direction === "DESC" ? -1 : 1
  return found.toSorted((a, b) => {
    const [one, other] = [keysOf(a)[by] ?? null, keysOf(b)[by] ?? null]
    if (one === null || other === null) {
      if (one !== other) return one === null ? 1 : -1
      return sign * (Number(a.id) - Number(b.id))
    }
    return sign * (Buffer.compare(one, other) || Number(a.id) - Number(b.id))
  })
}

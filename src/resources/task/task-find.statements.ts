import { membershipOf } from "../../access/access.js"
import { type Fields, type Statement, snakeCase, statement } from "../../statement.js"
import { type Task, type TaskMatch, tasks } from "./task.type.js"

// One statement finds tasks in all lists of the viewer. What it does not name is null and not asked for; the one condition by
// which an index is found is written out, so that there is a text for each of those, for both directions, with and without
// words. Each is made when it is first needed.

/** A task that was found, and its place in the order that was asked for. */
export type FoundTask = { readonly task: Task; readonly key: string }

/** By which condition the tasks of a list are found, beside the list itself: for each an index has both, the list first. */
export type Way = Condition | "assigneeCompleted" | "list"
type Condition = "assignee" | "due" | "completedAt" | "completed"

/**
 * Folds a text, so that what is the same for people is equal: NFKC, then without the case of letters. Most texts are plain
 * ASCII, which is both at once.
 */
const folded = (text: string): string =>
  `case when octet_length(${text}) = char_length(${text}) then lower(${text} collate "C") else replace(lower(upper(normalize(${text}, NFKC))), 'ß', 'ss') end`

const within = (value: string, from: string, to: string, type: string) =>
  `(${from}::${type} is null or ${value} >= ${from}::${type}) and (${to}::${type} is null or ${value} <= ${to}::${type})`
const between = (value: string, from: string, to: string, type: string) =>
  `${value} between coalesce(${from}::${type}, '-infinity') and coalesce(${to}::${type}, 'infinity')`

/** Where a condition is said by which an index is found, it stands as it is. */
const conditions: Record<Condition, { readonly asked: string; readonly found: string }> = {
  completed: { asked: "($3::boolean is null or t.completed = $3::boolean)", found: "t.completed = $3::boolean" },
  assignee: { asked: "($5::bigint is null or t.assignee_id = $5::bigint)", found: "t.assignee_id = $5::bigint" },
  due: { asked: within("t.due_date", "$6", "$7", "date"), found: between("t.due_date", "$6", "$7", "date") },
  completedAt: {
    asked: within("t.completed_at", "$9", "$10", "timestamptz"),
    found: between("t.completed_at", "$9", "$10", "timestamptz"),
  },
}

/**
 * The value by which tasks are ordered, as text that sorts byte by byte; what has none has another first letter. A title can grow
 * to many times its length when it is folded, and has to fit into a cursor.
 */
const KEY = `case $13 when 'DUE_DATE' then t.due_date::text when 'CREATED_AT' then t.created_at::text
  when 'COMPLETED_AT' then t.completed_at::text when 'ID' then '' else left(${folded("t.title")}, 255) end`
const keyed = (isReversed: boolean): string =>
  `coalesce('${isReversed ? "1" : "0"}' || (${KEY}), '${isReversed ? "0" : "1"}') collate "C"`

const ways: Record<Way, readonly Condition[]> = {
  assignee: ["assignee"],
  due: ["due"],
  completedAt: ["completedAt"],
  completed: ["completed"],
  assigneeCompleted: ["assignee", "completed"],
  list: [],
}

/**
 * The same order as by those texts, without making one for each task: of the values that are told apart, the one that was asked
 * for, and null for the others. (Years have four digits.)
 */
function orderOf(key: string, isReversed: boolean): string {
  const by = (order: string, value: string) => `case when $13 = '${order}' then ${value} end`
  const values = [
    by("DUE_DATE", "t.due_date"),
    by("CREATED_AT", "t.created_at"),
    by("COMPLETED_AT", "t.completed_at"),
    by("TITLE", `(${key})`),
  ]
  return [
    ...values.map((value) => `${value}${isReversed ? " desc" : ""} nulls last`),
    `t.id${isReversed ? " desc" : ""}`,
  ].join(", ")
}

/** Where a text is looked for, in the order in which matches are told: what is in tasks is found by all their ids at once. */
const placesIn = (tasks: string) => {
  const isIn = `x.task_id = any((select array_agg(id) from ${tasks})::bigint[])`
  return [
    ["task", `select t.id, t.id, t.title from ${tasks} t`],
    ["note", `select x.task_id, x.id, x.content from notes x where ${isIn}`],
    ["subtask", `select x.task_id, x.id, x.title from subtasks x where ${isIn}`],
    ["task_comment", `select x.task_id, x.id, x.text from task_comments x where ${isIn}`],
    ["file", `select x.task_id, x.id, x.file_name from files x where ${isIn}`],
  ] as const
}

/** The tasks among some that hold the text, with all places in them that do. */
const matchesIn = (tasks: string): string =>
  `select task_id, string_agg(type || ' ' || id, ',' order by place, id) as places from (${placesIn(tasks)
    .map(
      ([type, rows], place) =>
        `select ${place} as place, '${type}' as type, p.task_id, p.id from (${rows}) p(task_id, id, text) where strpos(${folded("p.text")}, (select text from sought)) > 0`,
    )
    .join(" union all ")}) hits group by task_id`

/** With more tasks than this, those that come first are looked at before all others: what many hold fills the page with them. */
const MANY = 20_000
const FIRST_OF_MANY = 2_000

const matchesOf = (text: string): TaskMatch[] =>
  text.split(",").map((match) => {
    const [type = "", id = ""] = match.split(" ")
    return { type, id }
  })

function textOf(way: Way, isReversed: boolean, hasWords: boolean, isOrdered: boolean): string {
  const found = ways[way]
  const asked = Object.entries(conditions).flatMap(([name, { asked }]) =>
    found.includes(name as Condition) ? [] : [asked],
  )
  const inList = found.map((name) => ` and ${conditions[name].found}`).join("")
  const key = keyed(isReversed)
  const order = orderOf(key, isReversed)
  const isBehind = `($14::text is null or (${key}, t.id) ${isReversed ? "<" : ">"} ($14::text collate "C", $15::bigint))`
  const shown = `${tasks.columns("t")}, ${key} as key`
  const isOpen = `${membershipOf("m", "$1")} and ($2::bigint[] is null or m.list_id = any($2::bigint[]))`
  const isAsked = `($4::boolean is null or t.starred = $4::boolean)
      and ($8::boolean is null or (t.due_date is null) = $8::boolean) and ${within("t.created_at", "$11", "$12", "timestamptz")}
      and ${asked.join(" and ")}`
  if (isOrdered) {
    // No list has more in the page than the page has, and the index gives them in its order.
    const direction = isReversed ? " desc" : ""
    const inOrder = `order by t.completed_at${direction}, t.id${direction}`
    const first = `${inOrder} limit $16::integer`
    return `select ${shown} from (select t.* from memberships m cross join lateral (
        select * from tasks t where t.list_id = m.list_id${inList} and ${isAsked} and ${isBehind} ${first}) t
      where ${isOpen} ${first}) t ${inOrder}`
  }
  // `offset 0` has PostgreSQL look into each list by itself: of so many conditions that may be null it expects so few rows that
  // it would rather read the tasks of everybody.
  const wanted = `from memberships m cross join lateral (select * from tasks t where t.list_id = m.list_id${inList} offset 0) t
    where ${isOpen} and ${isAsked}`
  const end = `${isBehind} order by ${order} limit $16::integer`
  if (!hasWords) return `select ${shown} from (select t.* ${wanted} and ${end}) t order by ${order}`
  const matching = (matches: string) =>
    `select t.*, m.places from (${matches}) m join tasks t on t.id = m.task_id where ${end}`
  return `with sought as materialized (select ${folded("$17::text")} as text),
    wanted as materialized (select t.id, t.title, t.due_date, t.created_at, t.completed_at ${wanted}),
    foremost as materialized (select t.id, t.title from wanted t where (select count(*) from wanted) > ${MANY} and ${isBehind}
      order by ${order} limit ${FIRST_OF_MANY}),
    quick as materialized (${matching(matchesIn("foremost"))})
    select ${shown}, t.places from (
      select t.* from quick t where (select count(*) from quick) = $16::integer
      union all select * from (${matching(matchesIn("wanted"))}) t where (select count(*) from quick) < $16::integer) t order by ${order}`
}

const WIDTH = tasks.columns("t").split(", ").length

const made = new Map<string, Statement<FoundTask>>()

/**
 * Finds tasks of lists that are open to the viewer: $1 viewer, $2 lists, $3 completed, $4 starred, $5 assignee, $6 and $7 due
 * from and to, $8 without a date, $9 and $10 completed from and to, $11 and $12 made from and to, $13 order, $14 and $15 the key
 * and id behind which the page begins, $16 how many; with words $17 what they are.
 * @param by the order, as $13
 */
export function findTasks(way: Way, by: string, isReversed: boolean, hasWords: boolean): Statement<FoundTask> {
  const isOrdered = !hasWords && way === "completedAt" && by === "COMPLETED_AT"
  const name = `find_tasks_by_${snakeCase(way)}_${isReversed ? "desc" : "asc"}${hasWords ? "_words" : isOrdered ? "_ordered" : ""}`
  const known = made.get(name)
  if (known !== undefined) return known
  const text = textOf(way, isReversed, hasWords, isOrdered)
  const found = statement(name, text, (fields: Fields): FoundTask => {
    const task = tasks.read(fields) as Task
    if (hasWords) task.matches = matchesOf(fields[WIDTH + 1] as string)
    return { task, key: fields[WIDTH] as string }
  })
  made.set(name, found)
  return found
}

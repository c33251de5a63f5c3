import { accepted, memberOf } from "../access/access.js"
import type { EventPlace } from "../context.js"
import { PLACE_COLUMNS, PLACE_NOW, readPlace, VALIDITY, type Validity } from "../events/behind.js"
import { type Fields, type Id, statement } from "../statement.js"
import { type Change, ChangeOperation } from "./change.type.js"
import { columnsOf, instead, type Kind, kinds, NEVER_LONG, names, objectOf, shown } from "./kinds.js"

// Reads objects in the order of their kinds, and within a kind by what never changes: by id, or by the task and then the id.
// Whatever moves or changes while pages are read, nothing that was there when it began is left out.

/** A page of objects ends with the one of its kind that makes it longer than this, in what can be long. */
const PAGE_BYTES = 4_194_304

// $7 are the lists to walk through, null for everything that is the viewer's, and $8 tasks beside those lists; $9 how many
// objects, behind that of the kind $10 at the place $11, $12.

const LISTS = `lists_open as materialized (
     select m.list_id, bool_or(${accepted("m")}) as is_in from memberships m
     where m.user_id = $2::bigint and ($7::bigint[] is null or m.list_id = any($7::bigint[])) group by m.list_id)`
const KNOWN = `(select $2::bigint as id where $7::bigint[] is null
     union select other.user_id from lists_open o join memberships other on other.list_id = o.list_id where ${accepted("other")})`
const TASKS = `(select w.* from lists_open o join tasks w on w.list_id = o.list_id where o.is_in
     union all select w.* from tasks w where w.id = any($8::bigint[]) and w.list_id <> all(coalesce($7, '{}')) and ${memberOf("w.list_id", "$2")})`

const MOST = "$9::integer"

/** Behind which the objects of a kind begin: the place of the walk, when it is among them. */
const from = (stage: number): string => `case when $10::integer = ${stage} then $11::bigint else 0 end`

/** What is selected of a row of a kind: its columns as they are, or as texts that those of all kinds have room in. */
type Width = (kind: Kind) => { readonly columns: string; readonly from: string }
const narrow: Width = ({ table, row, select }) => ({ columns: select, from: `${table} ${row}` })
const wide: Width = (kind) => ({ columns: shown(kind), from: `${kind.table} ${kind.row} ${columnsOf(kind)}` })

/** What lies in tasks: the rest of what lies in the last one, then what lies in those that follow. */
function inTasks(kind: Kind, stage: number, width: Width): string {
  const { row, bytes, own = "true" } = kind
  const { columns, from: rows } = width(kind)
  const isPosition = kind.type === "subtask_position"
  const [task, id] = isPosition ? [`${row}.id`, "0"] : [`${row}.task_id`, `${row}.id`]
  return `select x.* from (select w.id, w.list_id from ${TASKS} w where w.id >= ${from(stage)} order by w.id) w cross join lateral (
     select ${stage}, w.list_id, w.id, ${id}::bigint, ${bytes}, ${columns} from ${rows}
     where ${task} = w.id and (w.id > ${from(stage)} or ${id} > $12::bigint) and ${own} order by ${row}.id limit ${MOST}) x`
}

function outsideTasks(kind: Kind, stage: number): string {
  const { table, row, list, bytes, place, unlisted } = kind
  const inLists = `lists_open o join ${table} ${row} on ${list} = o.list_id and o.is_in`
  const rows = {
    known: `${KNOWN} known join ${table} ${row} on ${row}.id = known.id`,
    own: `${table} ${row}`,
    list: `lists_open o join ${table} ${row} on ${list} = o.list_id`,
    inList:
      unlisted === undefined
        ? inLists
        : `(select ${row}.* from ${inLists} union all select ${row}.* from ${table} ${row} where ${unlisted} and $7::bigint[] is null) ${row}`,
    inTask: "",
  }[place]
  const isIn = place === "own" ? `${kind.open} and $7::bigint[] is null` : "true"
  return `select ${stage}, ${list}::bigint, ${row}.id, 0::bigint, ${bytes}, ${shown(kind)}
     from ${kind.type === "task" ? `${TASKS} ${row}` : rows} ${columnsOf(kind)}
     where ${isIn} and ${row}.id > ${from(stage)} order by ${row}.id`
}

/** Those of some rows of a kind that are a page's; `so_far` adds up how long they are, which costs as much again as to read short ones. */
function paged(kind: Kind, rows: string, columns: string): string {
  if (kind.bytes === NEVER_LONG)
    return `select * from (${rows} limit ${MOST}) b(stage, list_id, a, b, so_far, ${columns})`
  return `select b.stage, b.list_id, b.a, b.b, b.so_far, ${columns} from (
     select b.*, sum(b.bytes) over (rows unbounded preceding) as so_far
     from (${rows} limit ${MOST}) b(stage, list_id, a, b, bytes, ${columns})) b
   where b.so_far - b.bytes < ${PAGE_BYTES}`
}

// Of kinds that have been passed nothing is asked, and of those that do not fit on the page any more neither.
const branches = kinds.map((kind, stage) => {
  const rows = kind.place === "inTask" ? inTasks(kind, stage, wide) : outsideTasks(kind, stage)
  return `(select * from (${paged(kind, rows, names())}) b where $10::integer <= ${stage})`
})

/** An object as an answer tells of it, and where it is in the walk: behind `a` and `b` in its kind. `isLong`: the page ends here. */
export type Walked = Change & {
  readonly stage: number
  readonly a: string
  readonly b: string
  readonly isLong: boolean
}

/** Of what a walk reads the first row says when it was read, and the others are objects. */
export type WalkRow = { readonly now: EventPlace; readonly validity: Validity } | Walked

const FIRST = 5

const IN_TASKS = kinds.findIndex(({ place }) => place === "inTask")

/** Reads a page of objects of some kinds; $1 to $6 as in `behind.ts`, null where a walk begins. */
const walkOf = (name: string, selects: readonly string[]) =>
  statement(
    name,
    `with ${LISTS}
   select -1 as stage, null::bigint as list_id, null::bigint as a, null::bigint as b, 0::bigint as so_far,
     ${instead("p.name", "p.snapshot", "p.last_xid", "p.id", "p.occurred_at", "h.validity")}
   from (${PLACE_NOW}) p, (select ${VALIDITY} as validity from histories h order by h.id desc limit 1) h
   union all (${selects.join(" union all ")} limit ${MOST})`,
    (fields): WalkRow => {
      const stage = Number(fields[0])
      if (stage < 0) return { now: readPlace(fields, FIRST), validity: fields[FIRST + PLACE_COLUMNS] as Validity }
      return readWalked(fields)
    },
  )

function readWalked(fields: Fields): Walked {
  const stage = Number(fields[0])
  const data = objectOf(stage, fields, FIRST)
  return {
    type: (kinds[stage] as Kind).type,
    id: data.id,
    operation: ChangeOperation.upsert,
    listId: fields[1] as Id | null,
    revision: data.revision,
    data,
    stage,
    a: fields[2] as string,
    b: fields[3] as string,
    isLong: Number(fields[4]) >= PAGE_BYTES,
  }
}

const walk = walkOf("walk_of_account", branches)
// To begin a statement of all branches takes PostgreSQL a fifth of the time of a page.
const walkInTasks = walkOf("walk_of_account_in_tasks", branches.slice(IN_TASKS))

/** Reads a page of objects behind that of a kind. */
export const walkFrom = (stage: number) => (stage < IN_TASKS ? walk : walkInTasks)

const rests = kinds.map((kind, stage) =>
  kind.place === "inTask"
    ? statement(
        `walk_of_${kind.type}s`,
        `with ${LISTS}
   select b.*, (select ${VALIDITY} from histories h order by h.id desc limit 1) as validity
   from (${paged(kind, inTasks(kind, stage, narrow), names(undefined, kind.columns))}) b`,
        (fields): Walked & { readonly validity: Validity } =>
          Object.assign(readWalked(fields), { validity: fields[FIRST + kind.columns] as Validity }),
      )
    : undefined,
)

/**
 * Reads a page of what is left of the kind in which a walk is. Most pages are of one kind of what lies in tasks, and rows that need
 * have room for no other take PostgreSQL half the time; undefined for kinds that lie elsewhere.
 */
export const restOf = (stage: number) => rests[stage]

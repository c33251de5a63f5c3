import { memberOf } from "../access/access.js"
import type { EventPlace } from "../context.js"
import { PLACE_COLUMNS, PLACE_NOW, readPlace, type Validity } from "../events/behind.js"
import { type Fields, type Id, instantOf, statement } from "../statement.js"
import { columnsOf, instead, kinds, objectOf, type Shown, shown, stageIn } from "./kinds.js"
import { NEWS_OF_VIEWER } from "./news.js"

/** How many events are looked at for one page. */
const MAX_EVENTS = 20_000

/** What a page is made of. */
export type PageRow =
  | { readonly kind: "place"; readonly place: PageEnd }
  | { readonly kind: "touched"; readonly touched: Touched }
  /** An object as it is now, with its list; what was touched and has none is gone. */
  | { readonly kind: "object"; readonly stage: number; readonly object: Shown; readonly listId: Id | null }

/** Something that changed, by the last event that tells of it. */
export type Touched = {
  readonly stage: number
  readonly id: Id
  readonly listId: Id | null
  readonly revision: number
  readonly actorId: Id | null
  readonly requestId: string | null
}

/** Where a page ends. */
export type PageEnd = {
  readonly now: EventPlace
  readonly validity: Validity
  /** Whether something has been opened, so that nothing is told here. */
  readonly isShut: boolean
  /** Whether the page is the last one. */
  readonly isAll: boolean
  /** The last event that is told as a whole, unless it is the one that the cursor names. */
  readonly last: { readonly id: Id; readonly occurredAt: string; readonly isRest: boolean } | undefined
  /** Up to which kind the next event has been told, -1 where it has not. */
  readonly told: number
}

const STAGE = stageIn("f.subject_type")
const LIST = stageIn("'list'")
const TASK = stageIn("'task'")
const USER = stageIn("'user'")

/**
 * $8 is how many objects, $9 up to which kind the first event has been told. An event touches its object, and what that lies in,
 * whose revision grows with it. An object belongs on the page with its first event there; what merely grew, with the last.
 */
const PAGE = `found as materialized (
     select s.*, row_number() over (order by s.is_rest desc, s.id) as n, (s.subject_type = 'task' and s.subject_id in (select id from moved)
         or s.task_id in (select id from moved)) is true as is_covered
     from (select e.*, pg_visible_in_snapshot(e.xid, $4::pg_snapshot) as is_rest from seen e order by is_rest desc, e.id limit ${MAX_EVENTS}) s
     where $7::pg_snapshot is not null or not exists (select from opened) and not exists (select from moved)),
   touched as (
     select ${STAGE} as stage, f.subject_id as id, min(f.n) filter (where f.n > 1 or ${STAGE} > $9::integer) as first, max(f.n) as last
     from found f where f.is_shown and not f.is_covered group by f.subject_type, f.subject_id
     union all select ${LIST}, f.list_id, max(f.n), max(f.n) from found f where f.list_id is not null group by f.list_id
     union all select ${TASK}, f.task_id, max(f.n), max(f.n) from found f where f.task_id is not null and f.is_shown and not f.is_covered group by f.task_id
     union all select ${USER}, f.person_id, max(f.n), max(f.n) from found f where f.person_id <> $2::bigint group by f.person_id
     union all select ${USER}, $2::bigint, max(f.n), max(f.n) from found f where f.subject_type in ('setting', 'reminder') having count(*) > 0),
   objects as materialized (
     select o.*, row_number() over (order by o.first, o.stage, o.id) as k from (
       select t.stage, t.id, min(t.first) as first, max(t.last) as last from touched t
       where t.first > 1 or t.first = 1 and t.stage > $9::integer group by t.stage, t.id) o),
   next as materialized (select o.first, o.stage, (select max(p.stage) from objects p where p.k <= $8::integer and p.first = o.first) as told
     from objects o where o.k = $8::integer + 1),
   page as materialized (select o.* from objects o where o.k <= $8::integer)`

const END = `select -2, null::bigint, ${instead(
  "p.name",
  "p.snapshot",
  "p.last_xid",
  "p.id",
  "p.occurred_at",
  "(select validity from here)",
  "$7::pg_snapshot is null and (exists (select from opened) or exists (select from moved))",
  `(select count(*) from found) < ${MAX_EVENTS} and not exists (select from next)`,
  "l.id",
  "l.occurred_at",
  "l.is_rest",
  "(select coalesce(told, case when first = 1 then $9::integer else -1 end) from next)",
)}
   from (${PLACE_NOW}) p left join found l on l.n = coalesce((select first - 1 from next), (select max(n) from found))`

// To those who are only invited what happens inside tells that the list has grown, and not by whom.
const TOUCHED = `select -1, p.id, ${instead(
  "p.stage",
  `coalesce(f.list_id, (select of.list_id from tasks of where of.id = f.reminded_id and ${memberOf("of.list_id", "$2")}))`,
  "case when f.subject_id = p.id then f.revision else f.list_revision end",
  "case when f.is_shown then f.actor_id end",
  "case when f.is_shown then f.request_id end",
)}
   from page p join found f on f.n = p.last`

const OBJECTS = kinds.map(
  (
    kind,
    stage,
  ) => `select ${stage}, ${kind.list}::bigint, ${shown(kind)} from ${kind.table} ${kind.row} ${columnsOf(kind)}
   where ${kind.row}.id = any(array(select p.id from page p where p.stage = ${stage})) and ${kind.open}`,
)

const FIRST = 2

/** Reads a page of what has changed behind a cursor, as it is now, all of one moment; values as in `news.ts`, and those of the page. */
export const pageOfChanges = statement(
  "page_of_changes",
  `with ${NEWS_OF_VIEWER}, ${PAGE} ${[END, TOUCHED, ...OBJECTS].join(" union all ")}`,
  (fields): PageRow => {
    const stage = Number(fields[0])
    if (stage >= 0)
      return { kind: "object", stage, object: objectOf(stage, fields, FIRST), listId: fields[1] as Id | null }
    return stage === -1 ? { kind: "touched", touched: readTouched(fields) } : { kind: "place", place: readEnd(fields) }
  },
)

function readTouched(fields: Fields): Touched {
  const [stage, listId, revision, actorId, requestId] = fields.slice(FIRST)
  return {
    stage: Number(stage),
    id: fields[1] as Id,
    listId: listId as Id | null,
    revision: Number(revision),
    actorId: actorId as Id | null,
    requestId: requestId as string | null,
  }
}

function readEnd(fields: Fields): PageEnd {
  const [validity, isShut, isAll, id, occurredAt, isRest, told] = fields.slice(FIRST + PLACE_COLUMNS)
  return {
    now: readPlace(fields, FIRST),
    validity: validity as Validity,
    isShut: isShut === "true",
    isAll: isAll === "true",
    last: id == null ? undefined : { id, occurredAt: instantOf(occurredAt as string), isRest: isRest === "true" },
    told: told == null ? -1 : Number(told),
  }
}

import { memberOf } from "../access/access.js"
import type { EventPlace } from "../context.js"
import { PLACE_COLUMNS, PLACE_NOW, readPlace, type Validity } from "../events/behind.js"
import { type Fields, type Id, instantOf, statement } from "../statement.js"
import { columnsOf, instead, kinds, objectOf, type Shown, shown, stageIn } from "./kinds.js"
import { ACTOR, idOf, NEWS_OF_VIEWER } from "./news.js"

/** How many events are looked at for one page. */
const MAX_EVENTS = 20_000

/** A row of the one statement that gives a page: where it ends, what was touched, and those objects that are still there. */
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
/** Kinds of events whose `within_id` is no task that has grown with them. */
const HOLDS_NO_TASK = "'{membership,reminder}'"

/**
 * $8 is how many objects, $9 up to which kind the first event has been told. An event touches its object, and what that lies in,
 * whose revision grows with it. An object belongs on the page with its first event there; what merely grew, with the last.
 * Events of one object are few in kind and can be many in number, so they are brought together before anything else is asked.
 */
const PAGE = `reaches as materialized (
     select (select min(turn) from seen) as first, case when (select count(*) from seen) < ${MAX_EVENTS} then (select max(turn) from seen)
       else (select turn from seen order by turn offset ${MAX_EVENTS - 1} limit 1) end as last),
   found as materialized (
     select f.*, ${STAGE} as stage, (f.subject_type = 'task' and f.subject_id in (select id from moved)
       or f.subject_type <> all(${HOLDS_NO_TASK}) and f.within_id in (select id from moved)) is true as is_covered
     from (
       select s.subject_type, s.subject_id, s.list_id, s.within_id, s.is_shown, min(s.turn) as first, max(s.turn) as last,
         min(s.turn) filter (where s.turn > (select first from reaches)) as second
       from seen s where s.turn <= (select last from reaches) and ($7::pg_snapshot is not null or not exists (select from opened) and not exists (select from moved))
       group by s.subject_type, s.subject_id, s.list_id, s.within_id, s.is_shown) f),
   touched as (
     select f.stage, f.subject_id as id, min(case when f.stage > $9::integer then f.first else f.second end) as first, max(f.last) as last
     from found f where f.is_shown and not f.is_covered group by f.stage, f.subject_id
     union all select ${LIST}, f.list_id, max(f.last), max(f.last) from found f where f.list_id is not null group by f.list_id
     union all select ${TASK}, f.within_id, max(f.last), max(f.last) from found f
       where f.within_id is not null and f.subject_type <> all(${HOLDS_NO_TASK}) and f.is_shown and not f.is_covered group by f.within_id
     union all select ${USER}, f.within_id, max(f.last), max(f.last) from found f
       where f.subject_type = 'membership' and f.within_id <> $2::bigint group by f.within_id
     union all select ${USER}, $2::bigint, max(f.last), max(f.last) from found f where f.subject_type in ('setting', 'reminder') having count(*) > 0),
   objects as materialized (
     select o.*, row_number() over (order by o.first, o.stage, o.id) as k from (
       select t.stage, t.id, min(t.first) as first, max(t.last) as last from touched t
       where t.first > (select first from reaches) or t.stage > $9::integer group by t.stage, t.id) o),
   next as materialized (select o.first, o.stage, (select max(p.stage) from objects p where p.k <= $8::integer and p.first = o.first) as told
     from objects o where o.k = $8::integer + 1),
   page as materialized (select o.* from objects o where o.k <= $8::integer),
   ends as materialized (select case when exists (select from next) then (select max(turn) from seen where turn < (select first from next))
     else (select last from reaches) end as turn)`

const END = `select -2, null::bigint, ${instead(
  "p.name",
  "p.snapshot",
  "p.last_xid",
  "p.id",
  "p.occurred_at",
  "(select validity from here)",
  "$7::pg_snapshot is null and (exists (select from opened) or exists (select from moved))",
  `(select count(*) from seen) < ${MAX_EVENTS} and not exists (select from next)`,
  "l.id",
  "l.occurred_at",
  "l.turn < 0",
  "(select coalesce(told, case when first = (select first from reaches) then $9::integer else -1 end) from next)",
)}
   from (${PLACE_NOW}) p left join (
     select s.turn, e.id, e.occurred_at from ends s cross join lateral (
       select id, occurred_at from events where id = ${idOf("s.turn")}) e) l on true`

// To those who are only invited what happens inside tells that the list has grown, and not by whom.
const TOUCHED = `select -1, p.id, ${instead(
  "p.stage",
  `coalesce(p.list_id, (select of.list_id from tasks of where of.id = p.within_id and p.subject_type = 'reminder' and ${memberOf("of.list_id", "$2")}))`,
  "case when p.subject_id = p.id then p.revision else e.list_revision end",
  `case when p.is_shown then ${ACTOR} end`,
  "case when p.is_shown then e.request_id end",
)}
   from (
     select distinct on (p.stage, p.id) p.stage, p.id, s.turn, s.subject_type, s.subject_id, s.revision, s.list_id, s.within_id, s.is_shown
     from page p join seen s on s.turn = p.last order by p.stage, p.id, s.is_shown desc) p
   cross join lateral (select * from events where id = ${idOf("p.turn")} offset 0) e`

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

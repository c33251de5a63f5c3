import { type Fields, type Id, type Statement, statement, type Value } from "../statement.js"
import {
  HEAD,
  HERE,
  isLate,
  isNews,
  MINE,
  NEWS_OF_LISTS,
  PLACE_COLUMNS,
  PLACE_NOW,
  reachFrom,
  readPlace,
  type Validity,
  valuesOf,
} from "./behind.js"
import type { Cursor } from "./cursor.js"
import { SIGNALS } from "./event.js"
import type { Access } from "./stream.js"

/** How many events behind a cursor are looked up at once. */
const MAX_IDS = 20_000

/** Events behind a cursor in the order in which they are told, by their ids. */
export type Behind = {
  readonly ids: readonly Id[]
  /** How many of them, from the first on, are the rest of the batch in which the cursor lies. */
  readonly rest: number
  readonly isAll: boolean
  readonly validity: Validity
  /** Behind the last of them, when they are all. */
  readonly now: Cursor
  /** Everything that it sees is behind the last of them, when they are all. */
  readonly snapshot: string
  /** Places of those of the rest, and of the others. */
  readonly intervals: readonly [
    Pick<Cursor, "history" | "before" | "after">,
    Pick<Cursor, "history" | "before" | "after">,
  ]
}

const FOUND = `select p.*, (select validity from here),
     (select array_agg(id order by is_rest desc, id) from found), (select count(*) from found where is_rest)
   from (${PLACE_NOW}) p`

// Whom a deleted list was open to is in its last event, where no answer shows it.
const behind = statement(
  "account_events_behind",
  `with recursive ${HERE}, ${MINE}, ${HEAD}, ${reachFrom("true")},
   seen as (
     select e.id, e.xid from ${NEWS_OF_LISTS} where r.is_in or e.subject_type in ('list', 'membership')
     union select e.id, e.xid from events e where ${isLate("e.xid")} and e.user_id = $2::bigint and e.subject_type <> all('{${SIGNALS}}')
     union select e.id, e.xid from events e where ${isLate("e.xid")} and e.subject_type = 'membership' and (coalesce(e.after, e.before)->>'user_id')::bigint = $2::bigint
     union select e.id, e.xid from events e where ${isLate("e.xid")} and e.subject_type = 'list' and e.operation = 'DELETE' and e.before->'member_ids' @> to_jsonb($2::bigint)),
   found as (
     select e.id, pg_visible_in_snapshot(e.xid, $4::pg_snapshot) as is_rest from seen e
     where ${isNews("e.id", "e.xid")} order by is_rest desc, id limit ${MAX_IDS})
   ${FOUND}`,
  (fields) => fields,
)

/** The same of one kind of signal to the user, whose name is $7. */
const signalsBehind = statement(
  "signals_behind_cursor",
  `with recursive ${HERE},
   found as (
     select e.id, pg_visible_in_snapshot(e.xid, $4::pg_snapshot) as is_rest from events e
     where ${isLate("e.xid")} and e.user_id = $2::bigint and e.subject_type = $7 and ${isNews("e.id", "e.xid")}
     order by is_rest desc, id limit ${MAX_IDS})
   ${FOUND}`,
  (fields) => fields,
)

const ID = /\d+/g

/** What a user can see of the events behind a cursor, by what they are a member of now; or the signals of one kind to them. */
export const eventsBehindCursor = (
  viewerId: Id,
  cursor: Cursor,
  signal?: string,
  { name, text } = signal === undefined ? behind : signalsBehind,
): [Statement<Behind>, Value[]] => [
  {
    name,
    text,
    read(fields: Fields): Behind {
      const now = readPlace(fields)
      const [validity, list, rest] = fields.slice(PLACE_COLUMNS)
      const ids = list?.match(ID) ?? []
      const { history, before, after } = cursor
      return {
        validity: validity as Validity,
        ids,
        rest: Number(rest),
        isAll: ids.length < MAX_IDS,
        now,
        snapshot: fields[1] as string,
        intervals: [
          { history, before, after },
          { history, before: after, after: now.after },
        ],
      }
    },
  },
  signal === undefined ? valuesOf(viewerId, cursor) : [...valuesOf(viewerId, cursor), signal],
]

/** The lists that a user has been let into or invited to: $1 the user. */
export const accessOfUser = statement(
  "access_of_user",
  "select list_id, state, id from memberships where user_id = $1::bigint",
  ([listId, state, id]) => ({ listId: listId as Id, state: state as Access["state"], id: id as Id }),
)

/** The place where the stream of all events is now, behind the last of them. */
export const placeNow = statement("account_place_now", PLACE_NOW, (fields) => readPlace(fields))

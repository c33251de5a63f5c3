import { accepted, memberOf } from "../../access/access.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type CalendarFeed, calendarFeeds } from "./calendar-feed.type.js"

const FEED = calendarFeeds.columns("f")
const feed = (fields: Fields): CalendarFeed => calendarFeeds.read(fields) as CalendarFeed

/** The maximum for one user, so that forgotten feeds stay easy to find. */
export const MAX_FEEDS = 20

// Not Prisma: making one is a condition and an insertion in one statement, and reading one is asked for by every calendar.

/** Makes a feed: $1 user, $2 list or null, $3 hash of the secret. No row when the list is closed or there are enough. */
export const insertFeed = statement(
  "insert_calendar_feed",
  `insert into calendar_feeds as f (user_id, list_id, secret_hash)
   select $1::bigint, $2::bigint, $3 where ($2::bigint is null or ${memberOf("$2::bigint", "$1")})
     and (select count(*) from calendar_feeds where user_id = $1::bigint) < ${MAX_FEEDS}
   returning ${FEED}`,
  feed,
)

/** A feed that somebody reads. */
export type OpenFeed = {
  readonly userId: Id
  readonly listId: Id | null
  /** What the calendar is called. */
  readonly name: string
  /** Differs whenever what the feed shows may differ. */
  readonly state: string
}

/** The feed with a secret, $1 its hash, while its list is open to its user. The user's own counter grows with their reminders. */
export const openFeed = statement(
  "open_calendar_feed",
  `select f.user_id, f.list_id, coalesce(l.title, u.name),
     md5(concat_ws(',', f.id, u.own_counter, (select string_agg(o.id || ':' || o.revision, ',' order by o.id) from memberships m
       join lists o on o.id = m.list_id where m.user_id = f.user_id and ${accepted("m")} and (f.list_id is null or o.id = f.list_id))))
   from calendar_feeds f join users u on u.id = f.user_id left join lists l on l.id = f.list_id
   where f.secret_hash = $1 and (f.list_id is null or ${memberOf("f.list_id", "f.user_id")})`,
  ([userId, listId, name, state]): OpenFeed => ({
    userId: userId as Id,
    listId: listId as Id | null,
    name: name as string,
    state: state as string,
  }),
)

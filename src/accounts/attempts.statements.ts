import { type Fields, statement } from "../statement.js"

const counted = ([count, seconds]: Fields) => ({ count: Number(count), secondsLeft: Math.max(1, Number(seconds)) })

/**
 * Counts one attempt: $1 its key, $2 for how many seconds. Gives how many there are, and for how long. One row for each key, so that all
 * nodes count together and parallel attempts one after another; whether to count on depends on the row itself, which Prisma cannot say.
 */
export const countOne = statement(
  "count_attempt",
  `insert into attempts as a (key, count, expires_at) values ($1, 1, now() + make_interval(secs => $2::int))
   on conflict (key) do update set count = case when a.expires_at > now() then a.count + 1 else 1 end,
     expires_at = case when a.expires_at > now() then a.expires_at else excluded.expires_at end
   returning count, ceil(extract(epoch from expires_at - now()))`,
  counted,
)

/** How often there was an attempt, by its key, and for how long that counts: by the clock that wrote it, which is the database's, not a node's. */
export const countSoFar = statement(
  "attempts_so_far",
  "select count, ceil(extract(epoch from expires_at - now())) from attempts where key = $1 and expires_at > now()",
  counted,
)

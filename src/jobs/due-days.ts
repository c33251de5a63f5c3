import { accepted } from "../access/access.js"
import type { Log } from "../log.js"
import { type Loop, startLoop } from "../loop.js"
import { type Id, type Runner, statement } from "../statement.js"

const MAX_AT_ONCE = 100
/** Of how many tasks a user is told on one day. */
const MAX_TASKS = 10_000

// Not Prisma: one statement that each node asks, past locked rows. The node that moves an endpoint on to its next day tells what
// is due on the one that has begun, in the same transaction: one node, once. A day that nobody began, as when no node ran, is told
// late; one that is over is left out.
const tellDays = statement(
  "tell_due_days",
  `with begun as materialized (
     select webhook_id, maker_id, list_id, events, today_of(maker_id) as day, told_day from webhook_endpoints
     where next_day_at <= now() order by next_day_at limit $1::integer for update skip locked),
   moved as (
     update webhook_endpoints e set next_day_at = next_day_of(e.maker_id), told_day = greatest(begun.day, e.told_day)
     from begun where e.webhook_id = begun.webhook_id),
   news as (select * from begun where told_day is null or day > told_day),
   due as materialized (
     select of.maker_id, t.* from (select distinct maker_id, day from news) of cross join lateral (
       select t.* from memberships m join tasks t on t.list_id = m.list_id
       where m.user_id = of.maker_id and ${accepted("m")} and t.due_date = of.day and not t.completed
       order by t.id limit ${MAX_TASKS}) t),
   told as (
     insert into events (user_id, operation, subject_type, subject_id, revision, after)
     select maker_id, 'UPDATE', 'task_due', id, revision, to_jsonb(due) - private_columns() - 'maker_id'::text from due order by maker_id, id
     returning id, user_id, (after->>'list_id')::bigint as list_id),
   hooked as (
     insert into webhook_deliveries (webhook_id, event_id, snapshot)
     select n.webhook_id, told.id, pg_current_snapshot() from told join news n on n.maker_id = told.user_id
       join webhook_endpoints e on e.webhook_id = n.webhook_id and is_told(e, 'task.due')
     where n.list_id is null or n.list_id = told.list_id order by n.webhook_id, told.id)
   select (select count(*) from begun), (select count(*) from told),
     (select extract(epoch from min(next_day_at) - clock_timestamp()) * 1000 from webhook_endpoints where next_day_at > now())`,
  ([begun, told, nextInMs]) => ({
    begun: Number(begun),
    told: Number(told),
    nextInMs: nextInMs == null ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(Number(nextInMs))),
  }),
)

/** Moves the first endpoint on to its next day without telling it of this one. */
const passOver = statement(
  "pass_over_due_day",
  `update webhook_endpoints e set next_day_at = next_day_of(e.maker_id) where webhook_id = (
     select webhook_id from webhook_endpoints where next_day_at <= now() order by next_day_at limit 1 for update skip locked)
   returning webhook_id`,
  ([id]) => id as Id,
)

/** Whether the database has ended a statement because it took too long. */
const tookTooLong = (error: unknown): boolean =>
  ((error as Error | undefined)?.cause as { code?: string } | undefined)?.code === "57014"

type Parts = {
  readonly db: Runner
  readonly log: Log
  /** Called when something was told: there are deliveries to make. */
  onNotified(): void
}

/**
 * Tells webhooks which tasks are due on a day as it begins, in the zone of their makers and by the clock of the database. Of
 * tasks that are open to the maker and not completed by then, at most {@link MAX_TASKS} a user. When it takes too long, fewer
 * endpoints are told at once, so that none with very much to hear keeps the others from hearing anything.
 */
export function startDueDays({ db, log, onNotified }: Parts): Loop {
  let atOnce = MAX_AT_ONCE
  return startLoop({
    what: "days begin",
    log,
    async round() {
      try {
        const [found] = await db.run(tellDays, [atOnce])
        const { begun, told, nextInMs } = found as NonNullable<typeof found>
        if (told > 0) onNotified()
        if (begun < atOnce) return nextInMs
        atOnce = Math.min(2 * atOnce, MAX_AT_ONCE)
        return 0
      } catch (error) {
        if (!tookTooLong(error)) throw error
        if (atOnce === 1)
          log.error(
            { webhookId: (await db.run(passOver, []))[0] },
            "a webhook was not told of its day: too much is due",
          )
        atOnce = Math.ceil(atOnce / 10)
        return 0
      }
    },
  })
}

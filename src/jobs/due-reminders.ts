import { accepted } from "../access/access.js"
import type { ChangeEvent } from "../events/event.js"
import type { PubSub } from "../events/pub-sub.js"
import type { Log } from "../log.js"
import { type Loop, startLoop } from "../loop.js"
import { type Runner, statement } from "../statement.js"

const AT_ONCE = 200
/** What is due sooner than the next look at the latest, once it is heard of. */
const SOON_MS = 1_000

// Not Prisma: one statement that each node asks, past locked rows. The node that deletes a waiting row announces it, in the same
// transaction: one node, once, whenever it ends. The announcement is an event, which every node hands to the user's sockets, a
// delivery to each webhook of theirs that wants it, and a push for each device but the one that reminds by itself.
const tellDue = statement(
  "tell_due_reminders",
  `with due as materialized (
     select reminder_id, due_at from awaited_reminders where due_at <= now() order by due_at limit ${AT_ONCE} for update skip locked),
   gone as (delete from awaited_reminders a using due where a.reminder_id = due.reminder_id),
   told as materialized (
     select r.*, t.list_id from due join reminders r on r.id = due.reminder_id join tasks t on t.id = r.task_id
     join memberships m on m.list_id = t.list_id and m.user_id = r.user_id and ${accepted("m")}
     where not t.completed and due.due_at > now() - interval '1 hour'),
   announced as (
     insert into events (user_id, operation, subject_type, subject_id, revision, after)
     select user_id, 'UPDATE', 'reminder_due', id, revision, to_jsonb(told) - private_columns() - 'list_id'::text from told order by date, id
     returning id, subject_id, user_id),
   hooked as materialized (
     select enqueue_due(told.user_id, told.list_id, announced.id, 'reminder.due') from announced join told on told.id = announced.subject_id),
   pushed as (
     insert into pushes (device_id, reminder_id) select d.id, told.id from told join devices d on d.user_id = told.user_id
     where d.udid is distinct from told.created_by_device_udid)
   select (select count(*) from due), (select count(*) from told join (select count(*) from hooked) all_hooked on true),
     (select count(*) from due where due_at <= now() - interval '1 hour'),
     (select extract(epoch from min(due_at) - clock_timestamp()) * 1000 from awaited_reminders where due_at > now())`,
  ([due, told, late, nextInMs]) => ({
    isMore: Number(due) === AT_ONCE,
    told: Number(told),
    late: Number(late),
    nextInMs: nextInMs == null ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil(Number(nextInMs))),
  }),
)

type Parts = {
  readonly db: Runner
  readonly pubSub: PubSub<ChangeEvent>
  readonly log: Log
  /** Called when so many have been told: there are events to read and pushes to send. */
  onNotified(count: number): void
}

/**
 * Tells of reminders at their instant, by the clock of the database. One that was missed, as when no node ran, is told within
 * the hour and dropped after it. Whether its task is open to the user and to be done is asked when it falls due. (§9 reminderDue)
 */
export function startDueReminders({ db, pubSub, log, onNotified }: Parts): Loop {
  const loop = startLoop({
    what: "reminders fall due",
    log,
    async round() {
      const [found] = await db.run(tellDue, [])
      const { isMore, told, late, nextInMs } = found as NonNullable<typeof found>
      if (late > 0) log.warn({ reminders: late }, "reminders that fell due more than an hour ago are not told any more")
      if (told > 0) onNotified(told)
      return isMore ? 0 : nextInMs
    },
  })
  function hear({ subjectType, is }: ChangeEvent): void {
    if (subjectType === "reminder" && is && Date.parse(String(is.date)) < Date.now() + SOON_MS) loop.wake()
  }
  pubSub.listen("*", hear)
  return {
    wake: loop.wake,
    stop() {
      pubSub.forget("*", hear)
      return loop.stop()
    },
  }
}

import { accepted } from "../../access/access.js"
import type { PushSubscription } from "../../scalars/push-subscription.js"
import { type Fields, type Id, instantOf, statement } from "../../statement.js"

/** How long a worker that has leased a push may take to send it, before others may. */
const LEASE_SECONDS = 30

/** A reminder that has fallen due, with as much of its task as a notification shows. */
export type Due = {
  readonly id: Id
  readonly taskId: Id
  readonly listId: Id
  readonly date: string
  readonly title: string
}

/** A push that this node is to send now. */
export type TakenPush = {
  readonly id: Id
  /** This one is counted. */
  readonly attempts: number
  /** Since it fell due. */
  readonly ageSeconds: number
  readonly deviceId: Id
  /** As the device's row has it; JSON of a {@link PushSubscription}. */
  readonly subscription: string
  /** Undefined when there is nothing to tell any more: moved, deleted, completed, or closed to the user. */
  readonly due: Due | undefined
}

function takenPush(fields: Fields): TakenPush {
  const [id, attempts, age, deviceId, subscription, reminderId, taskId, listId, date, title] = fields as string[]
  const isDue = fields[5] !== null
  return {
    id: id as Id,
    attempts: Number(attempts),
    ageSeconds: Number(age),
    deviceId: deviceId as Id,
    subscription: subscription as string,
    due: isDue
      ? {
          id: reminderId as Id,
          taskId: taskId as Id,
          listId: listId as Id,
          date: instantOf(date as string),
          title: title as string,
        }
      : undefined,
  }
}

// Not Prisma: what a node with nothing to send asks all the time, a lease past locked rows, and the clock of the database.
/** Takes what is to be sent for a while, no more than $1. */
export const takePushes = statement(
  "take_pushes",
  `with due as materialized (select id from pushes where due_at <= now() order by due_at limit $1::integer for update skip locked),
   taken as (
     update pushes p set due_at = now() + interval '${LEASE_SECONDS} seconds', attempts = p.attempts + 1 from due where p.id = due.id returning p.*)
   select p.id, p.attempts, extract(epoch from now() - p.created_at), d.id, d.subscription, r.id, r.task_id, t.list_id, r.date, t.title
   from taken p join devices d on d.id = p.device_id
   left join (reminders r join tasks t on t.id = r.task_id and not t.completed
     join memberships m on m.list_id = t.list_id and m.user_id = r.user_id and ${accepted("m")})
     on r.id = p.reminder_id and r.date <= now()
   order by p.id`,
  takenPush,
)

/** Lets a push wait: $1 push, $2 milliseconds. */
export const postponePush = statement(
  "postpone_push",
  "update pushes set due_at = now() + $2::integer * interval '1 millisecond' where id = $1::bigint",
  () => undefined,
)

/** Read when it is sent: of many taken pushes few may get so far. */
export const subscriptionOf = ({ subscription }: TakenPush): PushSubscription => JSON.parse(subscription)

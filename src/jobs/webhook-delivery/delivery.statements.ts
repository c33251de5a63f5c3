import { eventColumns } from "../../events/event.js"
import { Event } from "../../events/event.type.js"
import { type Fields, type Id, statement } from "../../statement.js"
import type { Secrets } from "./signature.js"

/** Attempts that one endpoint has at the same time, whatever the number of nodes. */
const IN_FLIGHT_PER_ENDPOINT = 2
/** The part of a node's places that deliveries of one maker have at the same time, and those of one maker and list. */
const SHARE_OF_MAKER = 1 / 4
const SHARE_OF_LIST = 1 / 8
/** So long an endpoint may fail before nothing is sent to it any more. */
const PATIENCE = "5 days"
/** Whatever goes wrong with nodes for a while is over by then. */
const OLD = "1 hour"

/** A delivery that this node is to attempt now. */
export type Claimed = Secrets & {
  readonly id: Id
  readonly lease: string
  /** How many attempts there are with this one. */
  readonly attempts: number
  /** How many of its leases have ended with their nodes since it was old. */
  readonly losses: number
  readonly webhookId: Id
  readonly url: string
  readonly configuration: string
  readonly makerId: Id | null
  /** The line of history, and what the transaction that made the change could see there; null where that is not known. */
  readonly history: string
  readonly snapshot: string | null
  /** Whether the endpoint's last attempt was answered with success, and soon. */
  readonly isPrompt: boolean
  /** Undefined when the log does not hold it any more. */
  readonly event: Event | undefined
}

const claimed = (fields: Fields): Claimed => ({
  id: fields[0] as Id,
  lease: fields[1] as string,
  attempts: Number(fields[2]),
  webhookId: fields[3] as Id,
  url: fields[4] as string,
  configuration: fields[5] as string,
  secret: fields[6] as string,
  formerSecret: fields[7] ?? null,
  isPrompt: fields[8] === "t",
  makerId: fields[9] ?? null,
  history: fields[10] as string,
  snapshot: fields[11] ?? null,
  losses: Number(fields[12]),
  event: fields[13] === null ? undefined : new Event(fields, 13),
})

/**
 * Leases a row of deliveries `d` for `leaseMs`, a place among the statement's values. An attempt of which nobody knows what came of
 * it, since its node or the database was gone, is made again and not counted twice: it says nothing of the endpoint, whose pauses
 * grow with what it fails. In an old delivery it is counted as a loss, for one that ends every node that attempts it has to come to
 * an end.
 */
const lease = (leaseMs: string): string =>
  `lease = gen_random_uuid(), due_at = now() + ${leaseMs}::int * interval '1 ms',
   attempts = d.attempts + (d.lease is null)::int,
   losses = d.losses + (d.lease is not null and d.created_at < now() - interval '${OLD}')::int, attempted_at = now()`

// A test is no event: it tells of the webhook as it is.
/** What {@link claimed} reads, of the rows of deliveries `leased`. */
const CLAIMED = `select d.id, d.lease, d.attempts, d.webhook_id, p.url, p.configuration, p.secret,
  case when p.former_secret_until > now() then p.former_secret end, p.is_prompt, p.maker_id,
  (select name from histories order by id desc limit 1), d.snapshot, d.losses, ${eventColumns("e")}
  from leased d join webhook_endpoints p using (webhook_id) left join lateral (
    select * from (select ${eventColumns("told")} from events told where told.id = d.event_id) told
    union all
    select 0, '0'::xid8, w.list_id, l.revision, null, 'UPDATE', 'webhook', w.id, w.revision, w.created_by_id, null, d.created_at,
      to_jsonb(w) - private_columns(), to_jsonb(w) - private_columns()
    from webhooks w left join lists l on l.id = w.list_id where d.event_id is null and w.id = d.webhook_id) e on true
  order by d.id`

/** In how many ms the next delivery is due; none when nothing waits. Cheap enough to ask after each write. */
export const nextDue = statement(
  "next_due_delivery",
  "select extract(epoch from min(due_at) - now()) * 1000 from webhook_deliveries where due_at is not null having min(due_at) is not null",
  ([ms]) => Number(ms),
)

/** Lets one node claim at a time, so that the next one sees what the first has in flight. To be run first in the transaction. */
export const lockClaims = statement(
  "lock_delivery_claims",
  "select pg_advisory_xact_lock(hashtext('tandem webhook deliveries'))",
  () => true,
)

// The endpoints that have something waiting are found by leaping from one to the next in the index, however much each has.
/**
 * Leases what is due for $3 ms, the oldest first of each endpoint that has room: at most $1 to endpoints that are prompt and $2
 * to all others, of $5 and $6 places that a node has for them. After $4 ms an attempt has ended, whatever became of its node. Makers have their turns, and so have the lists of
 * each; none takes more than its share, so that others find places free.
 */
export const claimDue = statement(
  "claim_due_deliveries",
  `with recursive waiting as (
     (select webhook_id from webhook_deliveries where due_at is not null order by webhook_id limit 1)
     union all
     select (select d.webhook_id from webhook_deliveries d where d.due_at is not null and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1)
     from waiting where waiting.webhook_id is not null),
   flying as (
     select e.webhook_id, e.is_prompt, coalesce(e.maker_id, 0) as maker_id, coalesce(e.list_id, 0) as list_id from webhook_deliveries d join webhook_endpoints e using (webhook_id)
     where d.lease is not null and d.attempted_at > now() - $4::int * interval '1 ms'),
   open as (
     select e.webhook_id, e.is_prompt, coalesce(e.maker_id, 0) as maker_id, coalesce(e.list_id, 0) as list_id,
       ${IN_FLIGHT_PER_ENDPOINT} - (select count(*) from flying where flying.webhook_id = e.webhook_id) as room
     from waiting join webhook_endpoints e using (webhook_id) where (e.resting_until is null or e.resting_until <= now())
       and exists (select from webhook_deliveries d where d.webhook_id = e.webhook_id and d.due_at <= now())),
   due as (
     select next.id, next.due_at, open.is_prompt, open.maker_id, open.list_id from open cross join lateral (
       select id, due_at from webhook_deliveries d where d.webhook_id = open.webhook_id and d.due_at <= now()
       order by d.due_at, d.id limit greatest(open.room, 0)) next),
   of_list as (
     select due.*, row_number() over (partition by is_prompt, maker_id, list_id order by due_at, id) + coalesce(busy.count, 0) as turn_of_list
     from due left join (select is_prompt, maker_id, list_id, count(*) from flying group by 1, 2, 3) busy using (is_prompt, maker_id, list_id)),
   of_maker as (
     select of_list.*, row_number() over (partition by is_prompt, maker_id order by turn_of_list, due_at, id) + coalesce(busy.count, 0) as turn
     from of_list left join (select is_prompt, maker_id, count(*) from flying group by 1, 2) busy using (is_prompt, maker_id)
     where turn_of_list <= ${SHARE_OF_LIST} * case when is_prompt then $5::int else $6::int end),
   fair as (select * from of_maker where turn <= ${SHARE_OF_MAKER} * case when is_prompt then $5::int else $6::int end),
   chosen as (
     (select id from fair where is_prompt order by turn, due_at, id limit $1::int)
     union all (select id from fair where not is_prompt order by turn, due_at, id limit $2::int)),
   free as (select id from webhook_deliveries where id in (select id from chosen) and due_at <= now() for update skip locked),
   leased as (update webhook_deliveries d set ${lease("$3")} from free where d.id = free.id returning d.*)
   ${CLAIMED}`,
  claimed,
)

const isMine = "d.id = $1::bigint and d.lease = $2::uuid"

/**
 * What came of an attempt that was answered with success: $1 delivery, $2 lease, $3 status of the answer, $4 latency in ms, $7
 * whether that was soon. Then leases, in its place and for $6 ms, what is due next at the same endpoint if $5 says so.
 */
export const settleDelivered = statement(
  "settle_delivered",
  `with well as (
     update webhook_endpoints e set failing_since = null, resting_until = null, disabled_at = null, is_prompt = $7::boolean
     from webhook_deliveries d where ${isMine} and e.webhook_id = d.webhook_id
       and (e.failing_since is not null or e.disabled_at is not null or e.is_prompt <> $7::boolean)
     returning 1),
   settled as (
     update webhook_deliveries d set status = 'delivered', due_at = null, lease = null, response_code = $3::smallint, latency_ms = $4::int, fault = null
     where ${isMine} and (select count(*) from well) >= 0 returning d.webhook_id),
   next as (
     select n.id from settled cross join lateral (
       select id from webhook_deliveries n where n.webhook_id = settled.webhook_id and n.due_at <= now() and n.lease is null and $5::boolean
       order by n.due_at, n.id limit 1 for update skip locked) n),
   leased as (update webhook_deliveries d set ${lease("$6")} from next where d.id = next.id returning d.*)
   ${CLAIMED}`,
  claimed,
)

/**
 * What came of an attempt that failed: $1 delivery, $2 lease, $3 status of the answer, $4 latency in ms, $5 what was wrong,
 * $6 the pause until the next attempt in ms, $7 how long the endpoint asked to be left alone in ms, $8 whether anything was sent:
 * if not, that says nothing of the endpoint. Gives whether the endpoint has failed for so long that it is to be disabled.
 */
export const settleFailed = statement(
  "settle_failed",
  `with ill as (
     update webhook_endpoints e set is_prompt = e.is_prompt and not $8::boolean,
       failing_since = case when $8::boolean then coalesce(e.failing_since, now()) else e.failing_since end,
       resting_until = case when $7::bigint is null then e.resting_until else greatest(e.resting_until, now() + $7::bigint * interval '1 ms') end
     from webhook_deliveries d where ${isMine} and e.webhook_id = d.webhook_id
     returning e.webhook_id, e.disabled_at is not null as is_disabled, $8::boolean and e.failing_since < now() - interval '${PATIENCE}' as is_lost)
   update webhook_deliveries d set lease = null, response_code = $3::smallint, latency_ms = $4::int, fault = $5,
     status = case when $6::bigint is null or ill.is_disabled then 'failed' else 'pending' end,
     due_at = case when $6::bigint is null or ill.is_disabled then null else now() + $6::bigint * interval '1 ms' end
   from ill where ${isMine} returning ill.is_lost`,
  ([isLost]) => isLost === "t",
)

/** Gives an attempt back that was not made, or not to its end: the next comes at once. */
export const releaseLease = statement(
  "release_delivery",
  `update webhook_deliveries d set lease = null, due_at = now(), attempts = greatest(d.attempts - 1, 0) where ${isMine} returning 1`,
  () => true,
)

/** A webhook that gets nothing any more, and where to reach whose it is. */
export type Disabled = { readonly webhookId: Id; readonly url: string; readonly makerEmail: string }

/** Sends nothing to an endpoint any more; no row when that was so already, or its list is gone. $1 the webhook. */
export const disableEndpoint = statement(
  "disable_endpoint",
  `with off as (update webhook_endpoints set disabled_at = now() where webhook_id = $1::bigint and disabled_at is null returning webhook_id)
   select w.id, w.url, u.email from off join webhooks w on w.id = off.webhook_id join users u on u.id = w.created_by_id`,
  ([webhookId, url, makerEmail]): Disabled => ({
    webhookId: webhookId as Id,
    url: url as string,
    makerEmail: makerEmail as string,
  }),
)

/** Drops what waits for an endpoint. To be run when it is disabled: only then are attempts seen that ended in between. $1 the webhook. */
export const dropWaiting = statement(
  "drop_waiting_deliveries",
  `update webhook_deliveries set status = 'failed', due_at = null, fault = coalesce(fault, 'the webhook was disabled')
   where webhook_id = $1::bigint and due_at is not null and lease is null returning 1`,
  () => true,
)

import { membershipOf } from "../../access/access.js"
import { type Fields, type Id, statement, table } from "../../statement.js"
import { webhookOpenTo } from "./webhook.statements.js"
import { type WebhookDelivery, webhookDeliveries } from "./webhook-delivery.type.js"

// $1 is what is asked for, $2 the viewer. Not Prisma: no foreign key leads from a delivery to its event or webhook, nor from a
// webhook to its endpoint, for the one may go before the other.

const delivery = (fields: Fields): WebhookDelivery => webhookDeliveries.read(fields) as WebhookDelivery

/** Rows of deliveries as the log shows them. */
const shown = (rows: string): string =>
  `select ${webhookDeliveries.columns("d")} from (
     select r.*, e.operation, regexp_replace(e.subject_type, '_due$', '') as subject_type, e.subject_id, e.list_revision from ${rows} r left join events e on e.id = r.event_id) d`

/** Of what only its user is told, such as a reminder, others see nothing. */
const IS_FOR_VIEWER = "not exists (select from events o where o.id = d.event_id and o.user_id <> $2::bigint)"

const webhookOpen = (webhookId: string): string =>
  `exists (select from webhooks w where w.id = ${webhookId} and ${webhookOpenTo("w", "$2")})`

/** A page of a webhook's log, the newest first: $3 the delivery behind which it begins or 0, $4 how many. */
export const pageOfDeliveries = statement(
  "page_of_webhook_deliveries",
  `${shown("webhook_deliveries")} where d.webhook_id = $1::bigint and ${webhookOpen("d.webhook_id")} and ${IS_FOR_VIEWER} and ($3::bigint = 0 or d.id < $3::bigint)
   order by d.id desc limit $4::int`,
  delivery,
)

/** Makes a test of a webhook due, or gives the one that is under way. */
export const insertTest = statement(
  "insert_webhook_test",
  `with waiting as (
     select * from webhook_deliveries where webhook_id = $1::bigint and event_id is null and due_at is not null and ${webhookOpen("$1::bigint")} order by id limit 1),
   made as (
     insert into webhook_deliveries (webhook_id) select w.id from webhooks w
     where w.id = $1::bigint and ${webhookOpenTo("w", "$2")} and not exists (select from waiting) returning *)
   ${shown("(select * from waiting union all select * from made)")}`,
  delivery,
)

// What is in flight is left alone: two attempts of one delivery are never made at once.
/** Makes a delivery due now, from its first attempt on if it was done, and gives it; as it is while it is in flight. */
export const makeDueAgain = statement(
  "make_delivery_due_again",
  `with open as (select d.* from webhook_deliveries d where d.id = $1::bigint and ${webhookOpen("d.webhook_id")} and ${IS_FOR_VIEWER}),
   again as (
     update webhook_deliveries d set status = 'pending', due_at = now(), lease = null, losses = 0,
       attempts = case d.status when 'pending' then d.attempts else 0 end
     where d.id = (select id from open) and (d.lease is null or d.due_at <= now()) returning d.*)
   ${shown("(select * from again union all select * from open where not exists (select from again))")}`,
  delivery,
)

/** A webhook as the pages show it, with how its receiver is doing. */
export type WatchedWebhook = {
  readonly id: Id
  readonly failingSince: string | null
  readonly disabledAt: string | null
  readonly url: string
  /** Null for one of the maker's account. */
  readonly listTitle: string | null
  readonly makerId: Id
  readonly makerName: string
  readonly events: readonly string[] | null
  readonly configuration: string
  readonly revision: number
}
const watched = table<WatchedWebhook>({
  id: "id",
  failingSince: "instant",
  disabledAt: "instant",
  url: "text",
  listTitle: "text",
  makerId: "id",
  makerName: "text",
  events: "words",
  configuration: "text",
  revision: "integer",
})

/** The webhooks of somebody's account and of all lists that they are a member of, or some of them: $1 who, $2 the webhooks or null. */
export const webhooksOfMember = statement(
  "webhooks_of_member",
  `select ${watched.columns("s")} from (
     select w.id, w.list_id, e.failing_since, e.disabled_at, w.url, l.title as list_title, u.id as maker_id, u.name as maker_name,
       w.events, w.configuration, w.revision
     from (select w.* from memberships m join webhooks w on w.list_id = m.list_id where ${membershipOf("m", "$1")}
           union all select w.* from webhooks w where w.created_by_id = $1::bigint and w.list_id is null) w
       join webhook_endpoints e on e.webhook_id = w.id join users u on u.id = w.created_by_id left join lists l on l.id = w.list_id
     where $2::bigint[] is null or w.id = any($2::bigint[])) s
   order by s.list_id nulls first, s.id`,
  (fields) => watched.read(fields) as WatchedWebhook,
)

import { memberOf, membershipOf } from "../../access/access.js"
import { madeBy } from "../../access/made-by.js"
import { atRevision } from "../../access/revision.js"
import { type Fields, statement } from "../../statement.js"
import { type Webhook, webhooks } from "./webhook.type.js"

const WEBHOOK = webhooks.columns("w")
const webhook = (fields: Fields): Webhook => webhooks.read(fields) as Webhook

/** A webhook that the viewer may see: of an open list, or of their own account. */
export const webhookOpenTo = (row: string, user: string): string =>
  `(${memberOf(`${row}.list_id`, user)} or (${row}.list_id is null and ${row}.created_by_id = ${user}::bigint))`

// Not Prisma, which reads everything before it can be counted: a configuration may have a megabyte. $1 is what is asked for, $2 the
// viewer.

const OPEN = webhookOpenTo("w", "$2")

/** One webhook that is open to the viewer. */
export const webhookById = statement(
  "webhook_by_id",
  `select ${WEBHOOK} from webhooks w where w.id = $1::bigint and ${OPEN}`,
  webhook,
)

/** The webhooks of the viewer's account by id: $1 the viewer. */
export const webhooksOfAccount = statement(
  "webhooks_of_account",
  `select ${WEBHOOK} from webhooks w where w.created_by_id = $1::bigint and w.list_id is null order by w.id`,
  webhook,
)

/** A list's webhooks by id; one row of nulls for an open list without any, none for a closed list. */
export const webhooksOfList = statement(
  "webhooks_of_list",
  `select ${WEBHOOK} from memberships m left join webhooks w on w.list_id = m.list_id
   where m.list_id = $1::bigint and ${membershipOf("m", "$2")} order by w.id`,
  (fields) => webhooks.read(fields) as Webhook | null,
)

/** The webhooks of many lists, by list and id. */
export const webhooksOfLists = statement(
  "webhooks_of_lists",
  `select ${WEBHOOK} from webhooks w where w.list_id = any($1::bigint[]) and ${memberOf("w.list_id", "$2")} order by w.list_id, w.id`,
  webhook,
)

// Not Prisma: the statement holds the token that asks until its row is there.
/**
 * Makes a webhook of an open list, or of the viewer's account: $1 list or null, $2 viewer, $3 request, $4 address, $5 processor,
 * $6 configuration, $7 secret, $8 the token that asks, or null on the command line, $9 what it is told, $10 whether not what its own
 * application writes, $11 which that is. No row for a token that has just ended.
 */
export const insertWebhook = statement(
  "insert_webhook",
  `with ${madeBy("$8")},
   place as (
     select m.list_id, m.id from memberships m where m.list_id = $1::bigint and ${membershipOf("m", "$2")}
     union all select null, null where $1::bigint is null)
   insert into webhooks as w (list_id, membership_id, url, processor_type, configuration, secret, created_by_id, updated_by_id, updated_by_request_id, application_id, events, skip_own, writer)
   select p.list_id, p.id, $4, $5, $6, $7, $2::bigint, $2::bigint, $3, (select application_id from made_by), $9::text[], $10::boolean, $11 from place p
   where $8::bigint is null or exists (select from made_by) returning ${WEBHOOK}`,
  webhook,
)

// Not Prisma: it cannot set the kinds of events to null, which is all of them.
/**
 * Changes a webhook: $1 webhook, $2 viewer, $3 revision, $4 request, $5 address, $6 configuration, $7 whether it is to be told
 * something else and $8 what, $9 whether $10 is to say that it is not told what its own application writes.
 */
export const patchWebhook = statement(
  "patch_webhook",
  `update webhooks w set url = coalesce($5, w.url), configuration = coalesce($6, w.configuration),
     events = case when $7::boolean then $8::text[] else w.events end, skip_own = case when $9::boolean then $10::boolean else w.skip_own end,
     updated_at = now(), updated_by_id = $2::bigint, updated_by_request_id = $4
   where w.id = $1::bigint and ${atRevision("w", "$3")} and ${OPEN} and w.created_by_id = $2::bigint returning ${WEBHOOK}`,
  webhook,
)

import { memberOf, membershipOf, ownerOf } from "../../access/access.js"
import { madeBy } from "../../access/made-by.js"
import { atRevision, precondition } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type Webhook, webhooks } from "./webhook.type.js"

// $1 is what is asked for, $2 the viewer.

const WEBHOOK = webhooks.columns("w")
const webhook = (fields: Fields): Webhook => webhooks.read(fields) as Webhook

/** A webhook that the viewer may see: of an open list, or of their own account. */
export const webhookOpenTo = (row: string, user: string): string =>
  `(${memberOf(`${row}.list_id`, user)} or (${row}.list_id is null and ${row}.created_by_id = ${user}::bigint))`

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

/** Whether the viewer may create webhooks for a list. */
export const listToWatch = statement("list_to_watch", `select 1 where ${memberOf("$1::bigint", "$2")}`, () => true)

const deletable = `(w.created_by_id = $2::bigint or ${ownerOf("w.list_id", "$2")})`

/** Deletes a webhook: $1 webhook, $2 viewer, $3 revision, compared when it is given, $4 request. */
export const deleteWebhookRow = statement(
  "delete_webhook",
  `delete from webhooks w using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
   where w.id = $1::bigint and ($3::bigint is null or ${atRevision("w", "$3")}) and ${OPEN} and ${deletable} returning w.id`,
  ([id]) => id as Id,
)

/** How a webhook stands to somebody who would delete it. */
export const webhookPrecondition = precondition("webhook", "webhooks w", "w", OPEN, deletable)

/** Gives a webhook another secret: $1 webhook, $2 viewer, $3 request, $4 secret. A trigger lets the old one sign for a day more. */
export const replaceSecret = statement(
  "replace_webhook_secret",
  `update webhooks w set secret = $4, updated_at = now(), updated_by_id = $2::bigint, updated_by_request_id = $3
   where w.id = $1::bigint and ${OPEN} and w.created_by_id = $2::bigint returning ${WEBHOOK}`,
  webhook,
)

/** How a webhook stands to somebody who would change it, or have its secret. */
export const makerPrecondition = precondition(
  "webhook_of_maker",
  "webhooks w",
  "w",
  OPEN,
  "w.created_by_id = $2::bigint",
)

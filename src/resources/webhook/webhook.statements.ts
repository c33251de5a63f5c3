import { memberOf, ownerOf } from "../../access/access.js"
import { madeBy } from "../../access/made-by.js"
import { atRevision, standing } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type Webhook, webhooks } from "./webhook.type.js"

// $1 is what is asked for, $2 the viewer.

const WEBHOOK = webhooks.columns("w")
const webhook = (fields: Fields): Webhook => webhooks.read(fields) as Webhook

/** One webhook of an open list. */
export const webhookById = statement(
  "webhook_by_id",
  `select ${WEBHOOK} from webhooks w where w.id = $1::bigint and ${memberOf("w.list_id", "$2")}`,
  webhook,
)

/** A list's webhooks by id; one row of nulls for an open list without any, none for a closed list. */
export const webhooksOfList = statement(
  "webhooks_of_list",
  `select ${WEBHOOK} from memberships m left join webhooks w on w.list_id = m.list_id
   where m.list_id = $1::bigint and m.user_id = $2::bigint and m.state = 'accepted' order by w.id`,
  (fields) => webhooks.read(fields) as Webhook | null,
)

/** The webhooks of many lists, by list and id. */
export const webhooksOfLists = statement(
  "webhooks_of_lists",
  `select ${WEBHOOK} from webhooks w where w.list_id = any($1::bigint[]) and ${memberOf("w.list_id", "$2")} order by w.list_id, w.id`,
  webhook,
)

/**
 * Makes a webhook of an open list: $1 list, $2 viewer, $3 request, $4 address, $5 processor, $6 configuration, $7 secret, $8 the
 * token that asks, or null on the command line. No row for a token that has just ended.
 */
export const insertWebhook = statement(
  "insert_webhook",
  `with ${madeBy("$8")}
   insert into webhooks as w (list_id, membership_id, url, processor_type, configuration, secret, created_by_id, updated_by_id, updated_by_request_id, application_id)
   select m.list_id, m.id, $4, $5, $6, $7, $2::bigint, $2::bigint, $3, (select application_id from made_by) from memberships m
   where m.list_id = $1::bigint and m.user_id = $2::bigint and m.state = 'accepted' and ($8::bigint is null or exists (select from made_by)) returning ${WEBHOOK}`,
  webhook,
)

/** Whether the viewer may create webhooks for a list. */
export const listToWatch = statement("list_to_watch", `select 1 where ${memberOf("$1::bigint", "$2")}`, () => true)

const deletable = `(w.created_by_id = $2::bigint or ${ownerOf("w.list_id", "$2")})`

/** Deletes a webhook: $1 webhook, $2 viewer, $3 revision, compared when it is given, $4 request. */
export const deleteWebhookRow = statement(
  "delete_webhook",
  `delete from webhooks w using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
   where w.id = $1::bigint and ($3::bigint is null or ${atRevision("w", "$3")}) and ${memberOf("w.list_id", "$2")} and ${deletable} returning w.id`,
  ([id]) => id as Id,
)

/** How a webhook stands to somebody who would delete it. */
export const webhookStanding = standing("webhook", "webhooks w", "w", memberOf("w.list_id", "$2"), deletable)

/** Gives a webhook another secret: $1 webhook, $2 viewer, $3 request, $4 secret. A trigger lets the old one sign for a day more. */
export const replaceSecret = statement(
  "replace_webhook_secret",
  `update webhooks w set secret = $4, updated_at = now(), updated_by_id = $2::bigint, updated_by_request_id = $3
   where w.id = $1::bigint and ${memberOf("w.list_id", "$2")} and w.created_by_id = $2::bigint returning ${WEBHOOK}`,
  webhook,
)

/** How a webhook stands to somebody who would have its secret. */
export const secretStanding = standing(
  "webhook_secret",
  "webhooks w",
  "w",
  memberOf("w.list_id", "$2"),
  "w.created_by_id = $2::bigint",
)

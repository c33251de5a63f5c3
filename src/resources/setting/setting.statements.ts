import { atRevision, precondition } from "../../access/revision.js"
import { type Id, statement } from "../../statement.js"

// $1 is what is asked for, $2 the viewer, who sees only their own settings.

// Not Prisma: a deletion says whose it is to the triggers, in its statement.

/** Deletes a setting: $1 setting, $2 viewer, $3 revision, $4 request. */
export const deleteSettingRow = statement(
  "delete_setting",
  `delete from settings s using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
   where s.id = $1::bigint and s.user_id = $2::bigint and ${atRevision("s", "$3")} returning s.id`,
  ([id]) => id as Id,
)

/** How a setting stands to the viewer. */
export const settingPrecondition = precondition("setting", "settings s", "s", "s.user_id = $2::bigint")

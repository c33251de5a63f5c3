import { atRevision, precondition } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type Setting, settings } from "./setting.type.js"

// $1 is what is asked for, $2 the viewer, who sees only their own settings.

const SETTING = settings.columns("s")
const setting = (fields: Fields): Setting => settings.read(fields) as Setting

/** Makes a setting: $1 key, $2 viewer, $3 request, $4 value. */
export const insertSetting = statement(
  "insert_setting",
  `insert into settings as s (user_id, key, value, updated_by_id, updated_by_request_id)
   values ($2::bigint, $1, $4, $2::bigint, $3) returning ${SETTING}`,
  setting,
)

/** Deletes a setting: $1 setting, $2 viewer, $3 revision, $4 request. */
export const deleteSettingRow = statement(
  "delete_setting",
  `delete from settings s using (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
   where s.id = $1::bigint and s.user_id = $2::bigint and ${atRevision("s", "$3")} returning s.id`,
  ([id]) => id as Id,
)

/** How a setting stands to the viewer. */
export const settingPrecondition = precondition("setting", "settings s", "s", "s.user_id = $2::bigint")

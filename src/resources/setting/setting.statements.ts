import { statement } from "../../statement.js"
import { type Setting, settings } from "./setting.type.js"

// Not Prisma, which reads everything before it can be counted: a value may have a megabyte, and a user any number of settings.

/** Every setting of a user by id: $1 is the user. */
export const settingsOfUser = statement(
  "settings_of_user",
  `select ${settings.columns("s")} from settings s where s.user_id = $1::bigint order by s.id`,
  (fields) => settings.read(fields) as Setting,
)

import { type Fields, statement } from "../../statement.js"
import type { Usage, UsageOf } from "./usage.type.js"

const quota = (name: string) => `nullif(current_setting('tandem.quota_${name}', true), '')`

const amount = ([used, most]: Fields): UsageOf => ({ used: Number(used), quota: most == null ? null : Number(most) })

/** What a user, $1, has of what quotas count, with the quotas of this node: functions and settings of the database, which Prisma cannot ask for. */
export const usageOfUser = statement(
  "usage_of_user",
  `select tasks_of_owner($1::bigint), ${quota("tasks")}, lists_of_owner($1::bigint), ${quota("lists")},
     file_bytes_of_user($1::bigint), ${quota("files_bytes")}`,
  (fields): Usage => ({
    tasks: amount(fields.slice(0, 2)),
    lists: amount(fields.slice(2, 4)),
    fileBytes: amount(fields.slice(4, 6)),
  }),
)

import type { DatabaseClient } from "../database/client.js"
import { usageOfUser } from "../resources/user/usage.statements.js"
import type { UsageOf } from "../resources/user/usage.type.js"
import type { Id } from "../statement.js"
import type { ParsedImport, ParsedList } from "./parsed-import.js"
import { quoted } from "./parsed-values.js"

/** What a file would make does not fit into a quota of the user; nothing was made. */
export class NoRoom extends Error {
  override readonly name = "NoRoom"
}

/** How many lists and tasks a list of the file would make. */
type New = { readonly lists: number; readonly tasks: number }

/**
 * Looks whether all that a file would make fits into what is left of the user's quotas, before any of it is made.
 * @param newIn how much of a list was not imported before
 * @throws NoRoom that names the quota, its use, and the first list that does not fit
 */
export async function requireRoom(
  database: DatabaseClient,
  userId: Id,
  { lists }: ParsedImport,
  newIn: (list: ParsedList) => New,
): Promise<void> {
  const [usage] = await database.run(usageOfUser, [userId])
  if (usage === undefined) return
  refuseBeyond("QUOTA_LISTS", "lists", usage.lists, lists, (list) => newIn(list).lists)
  refuseBeyond("QUOTA_TASKS", "tasks", usage.tasks, lists, (list) => newIn(list).tasks)
}

function refuseBeyond(
  setting: string,
  what: string,
  { used, quota }: UsageOf,
  lists: readonly ParsedList[],
  newIn: (list: ParsedList) => number,
): void {
  if (quota == null) return
  const counts = lists.map(newIn)
  const sum = counts.reduce((all, count) => all + count, 0)
  if (sum === 0 || used + sum <= quota) return
  let left = quota - used
  const first = lists.find((_, index) => {
    const count = counts[index] ?? 0
    left -= count
    return count > 0 && left < 0
  })
  throw new NoRoom(
    `${setting} allows ${quota} ${what}; there are ${used}, and ${sum} would be new. The first list that does not fit is ${quoted(first?.title ?? "")}. Nothing was imported; --list imports some lists only`,
  )
}

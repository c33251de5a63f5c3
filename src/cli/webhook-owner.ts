import { idOf } from "../scalars/scalars.js"
import { type Id, type Runner, statement } from "../statement.js"

/** A list and its owner, who may make and delete every webhook of it. */
export type OwnedList = { readonly id: Id; readonly title: string; readonly ownerId: Id }

const owned = ([id, title, ownerId]: readonly (string | null)[]): OwnedList => ({
  id: id as Id,
  title: title as string,
  ownerId: ownerId as Id,
})
const ownedList = statement(
  "owned_list",
  "select l.id, l.title, m.user_id from lists l join memberships m on m.list_id = l.id and m.owner where l.id = $1::bigint",
  owned,
)
const listOfWebhook = statement(
  "owned_list_of_webhook",
  `select l.id, l.title, m.user_id from webhooks w join lists l on l.id = w.list_id join memberships m on m.list_id = l.id and m.owner
   where w.id = $1::bigint`,
  owned,
)

/** The list that `--list` names. @throws Error that says so when there is none */
export async function listNamed(database: Runner, list: string): Promise<OwnedList> {
  const [found] = await database.run(ownedList, [idOf(list)])
  if (found === undefined) throw new Error(`--list: there is no list ${list}`)
  return found
}

/** The list of a webhook that `--webhook` names. @throws Error that says so when there is none */
export async function listOfWebhookNamed(database: Runner, webhook: string): Promise<OwnedList> {
  const [found] = await database.run(listOfWebhook, [idOf(webhook)])
  if (found === undefined) throw new Error(`--webhook: there is no webhook ${webhook}`)
  return found
}

import type { Context, Transacted } from "../context.js"
import { egressPolicy } from "../outbound/egress-policy.js"
import { idOf } from "../scalars/scalars.js"
import { type Id, type Runner, statement } from "../statement.js"
import { CommandError } from "./command-error.js"
import type { Workbench } from "./with-database.js"

/** A list and its owner, who may make and delete every webhook of it. */
export type OwnedList = { readonly id: Id; readonly title: string; readonly ownerId: Id }

const ownedList = statement(
  "owned_list",
  "select l.id, l.title, m.user_id from lists l join memberships m on m.list_id = l.id and m.owner where l.id = $1::bigint",
  ([id, title, ownerId]): OwnedList => ({ id: id as Id, title: title as string, ownerId: ownerId as Id }),
)

/** The list that `--list` names. @throws CommandError when there is none */
export async function listNamed(database: Runner, list: string): Promise<OwnedList> {
  const [found] = await database.run(ownedList, [idOf(list)])
  if (found === undefined) throw new CommandError(`--list: there is no list ${list}`)
  return found
}

/** A webhook and its maker, who may do everything with it. */
export type MadeWebhook = { readonly id: Id; readonly makerId: Id; readonly revision: number; readonly url: string }

const madeWebhook = statement(
  "made_webhook",
  "select id, created_by_id, revision, url from webhooks where id = $1::bigint",
  ([id, makerId, revision, url]): MadeWebhook => ({
    id: id as Id,
    makerId: makerId as Id,
    revision: Number(revision),
    url: url as string,
  }),
)

/** The webhook that `--webhook` names. @throws CommandError when there is none */
export async function webhookNamed(database: Runner, webhook: string): Promise<MadeWebhook> {
  const [found] = await database.run(madeWebhook, [idOf(webhook)])
  if (found === undefined) throw new CommandError(`--webhook: there is no webhook ${webhook}; see: webhook list`)
  return found
}

/** A webhook in the log of administrative acts: by its host, for the rest of its address may be a secret. */
export const webhookInWords = ({ id, url }: Pick<MadeWebhook, "id" | "url">): string =>
  `webhook ${id}, to ${new URL(url).host}`

/** In whose name a command writes webhooks. No application writes here, and running servers read by themselves whom to skip. */
export const contextOf = (database: Transacted, config: Workbench["config"], userId: Id, requestId: string) =>
  ({
    db: database,
    viewer: { userId },
    requestId,
    mayConnect: egressPolicy(config.webhookAllowedNetworks).host,
    skippedWriters: { has: () => false, add() {}, refresh: async () => {} },
  }) as unknown as Context

import { contextOfUser } from "../accounts/context-of-user.js"
import type { Context, Transacted } from "../context.js"
import { egressPolicy } from "../outbound/egress-policy.js"
import { idOf } from "../scalars/scalars.js"
import type { Id } from "../statement.js"
import { CommandError } from "./command-error.js"
import type { Workbench } from "./with-database.js"

/** A list and its owner, who may make and delete every webhook of it. */
export type OwnedList = { readonly id: Id; readonly title: string; readonly ownerId: Id }

/** The list that `--list` names. @throws CommandError when there is none */
export async function listNamed({ prisma }: Pick<Transacted, "prisma">, list: string): Promise<OwnedList> {
  const where = { listId: BigInt(idOf(list)), owner: true }
  const found = await prisma.membership.findFirst({ where, select: { userId: true, list: true } })
  if (found === null) throw new CommandError(`--list: there is no list ${list}`)
  return { id: String(found.list.id), title: found.list.title, ownerId: String(found.userId) }
}

/** A webhook and its maker, who may do everything with it. */
export type MadeWebhook = { readonly id: Id; readonly makerId: Id; readonly revision: number; readonly url: string }

/** The webhook that `--webhook` names. @throws CommandError when there is none */
export async function webhookNamed({ prisma }: Pick<Transacted, "prisma">, webhook: string): Promise<MadeWebhook> {
  const found = await prisma.webhook.findUnique({ where: { id: BigInt(idOf(webhook)) } })
  if (found === null) throw new CommandError(`--webhook: there is no webhook ${webhook}; see: webhook list`)
  const { id, createdById, revision, url } = found
  return { id: String(id), makerId: String(createdById), revision: Number(revision), url }
}

/** A webhook in the log of administrative acts: by its host, for the rest of its address may be a secret. */
export const webhookInWords = ({ id, url }: Pick<MadeWebhook, "id" | "url">): string =>
  `webhook ${id}, to ${new URL(url).host}`

/** In whose name a command writes webhooks: running servers read by themselves whom to skip. */
export const contextOf = (database: Transacted, config: Workbench["config"], userId: Id, requestId: string): Context =>
  contextOfUser(
    database,
    { userId, requestId },
    {
      mayConnect: egressPolicy(config.webhookAllowedNetworks).host,
      skippedWriters: { has: () => false, add() {}, refresh: async () => {} },
    },
  )

import type { DatabaseClient } from "../database/client.js"
import { idOf } from "../scalars/scalars.js"
import type { Id } from "../statement.js"

/** A user as commands name them. */
export type NamedUser = { readonly id: Id; readonly name: string; readonly email: string }

/** The user whom `--user` names, by id or email address. @throws Error that says so when there is none */
export async function userOf({ prisma }: Pick<DatabaseClient, "prisma">, who: string): Promise<NamedUser> {
  const where = { OR: [{ id: BigInt(idOf(who)) }, { email: who.toLowerCase() }] }
  const user = await prisma.user.findFirst({ where, select: { id: true, name: true, email: true } })
  if (user === null) throw new Error(`--user: there is no user ${who}; create one with: user create`)
  return { ...user, id: String(user.id) }
}

/** @throws Error that says how to enable the user, when they are disabled */
export async function requireEnabled({ prisma }: Pick<DatabaseClient, "prisma">, id: Id, email: string): Promise<void> {
  if ((await prisma.disabledUser.count({ where: { userId: BigInt(id) } })) > 0)
    throw new Error(`--user: ${email} is disabled; let them in again with: user enable`)
}

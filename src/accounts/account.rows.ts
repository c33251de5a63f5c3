import type { Rows } from "../context.js"
import type { Id } from "../statement.js"

/** Undefined for a user who has no password: they sign in elsewhere. */
export async function passwordOfUser({ prisma }: Rows, userId: Id): Promise<string | undefined> {
  const user = await prisma.user.findUnique({ where: { id: BigInt(userId) }, select: { passwordHash: true } })
  return user?.passwordHash ?? undefined
}

/** A change that a user makes of their account on the pages. */
export const changedBy = (userId: Id, requestId: string) => ({
  updatedAt: new Date(),
  updatedById: BigInt(userId),
  updatedByRequestId: requestId,
})

/** Gives a user another password, by its hash; returns the user's address. @throws NotFound */
export async function setPassword({ prisma }: Rows, userId: Id, passwordHash: string): Promise<string> {
  const id = BigInt(userId)
  const data = { passwordHash, updatedById: id, updatedByRequestId: null }
  return (await prisma.user.update({ where: { id }, data, select: { email: true } })).email
}

/** Gives a user another name. */
export async function setName({ prisma }: Rows, userId: Id, name: string, requestId: string): Promise<void> {
  const data = { name, ...changedBy(userId, requestId) }
  await prisma.user.updateMany({ where: { id: BigInt(userId) }, data })
}

/** Gives a user another address; returns the previous one. @throws InvalidFields when it is somebody's */
export async function setEmail({ prisma }: Rows, userId: Id, email: string, requestId: string): Promise<string> {
  const id = BigInt(userId)
  const before = await prisma.user.findUniqueOrThrow({ where: { id }, select: { email: true } })
  await prisma.user.updateMany({ where: { id }, data: { email, ...changedBy(userId, requestId) } })
  return before.email
}

/** Whether somebody has invited an address to a list, and nobody has an account with it. */
export async function isInvited({ prisma }: Rows, email: string): Promise<boolean> {
  const where = { email, verifiedAt: null, memberships: { some: { state: "pending" } } }
  return (await prisma.user.count({ where })) > 0
}

/** Gives the memberships of a placeholder to a user, for lists where the user has none yet. Says how many. */
export async function moveMemberships({ prisma }: Rows, placeholder: Id, user: Id, request: string | null) {
  const [from, to] = [BigInt(placeholder), BigInt(user)]
  const { count } = await prisma.membership.updateMany({
    where: { userId: from, owner: false, list: { memberships: { none: { userId: to } } } },
    data: { userId: to, updatedById: to, updatedByRequestId: request },
  })
  return count
}

/** Removes a user who was only invited, with the inbox, for they could make no other list; not one who has proved their address. */
export async function dropPlaceholder({ prisma }: Rows, placeholder: Id): Promise<void> {
  const id = BigInt(placeholder)
  await prisma.list.deleteMany({ where: { ownerId: id } })
  await prisma.user.deleteMany({ where: { id, verifiedAt: null } })
}

/** What is deleted with a user: the user's lists with everything in them, and the files that the user attached anywhere. */
export async function belongings({ prisma }: Rows, userId: Id) {
  const id = BigInt(userId)
  const own = { ownerId: id, deletedAt: null }
  const others = { some: { userId: { not: id }, state: "accepted" } }
  // Counted apart, each by an index: of both at once PostgreSQL would look at everybody's files.
  const [lists, shared, inLists, elsewhere] = await Promise.all([
    prisma.list.count({ where: { ...own, listType: { not: "inbox" } } }),
    prisma.list.count({ where: { ...own, listType: { not: "inbox" }, memberships: others } }),
    prisma.file.count({ where: { task: { list: own } } }),
    prisma.file.count({ where: { userId: id, task: { list: { NOT: own } } } }),
  ])
  return { lists, shared, files: inLists + elsewhere }
}

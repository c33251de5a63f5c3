import type { Rows } from "../context.js"
import type { Id } from "../statement.js"

/** One row for a user, also when it is there: that of before stays. */
const once = (id: Id) => {
  const row = { userId: BigInt(id) }
  return { where: row, create: row, update: row }
}

/** Makes a user an administrator; gives since when they are one. */
export const promoteUser = async ({ prisma }: Rows, userId: Id): Promise<string> =>
  (await prisma.administrator.upsert(once(userId))).promotedAt.toISOString()

/** Keeps a user out; gives since when they are kept out. A trigger ends what opens the account. */
export const disableUser = async ({ prisma }: Rows, userId: Id): Promise<string> =>
  (await prisma.disabledUser.upsert(once(userId))).disabledAt.toISOString()

import type { Rows } from "../context.js"
import type { Prisma } from "../generated/prisma/client.js"
import type { Id } from "../statement.js"

/** A link by which people sign up, as its maker and administrators see it: never with its token. */
export type InvitationLink = {
  readonly id: Id
  /** Undefined when an operator made it by a command. */
  readonly maker: string | undefined
  /** The one address that it is for. */
  readonly email: string | undefined
  /** The list that is joined with it. */
  readonly listId: Id | undefined
  /** What its maker calls it; what others' lists are called is for their members. */
  readonly listTitle: string | undefined
  readonly uses: number
  readonly used: number
  readonly expiresAt: string
}

// One that is used up is deleted.
const isOpen = (now: Date) => ({ expiresAt: { gt: now } })

/** How many links of a maker are open. */
export const countOpenLinks = (rows: Rows, makerId: Id, now: Date): Promise<number> =>
  rows.prisma.invitationLink.count({ where: { makerId: BigInt(makerId), ...isOpen(now) } })

async function linksWhere(rows: Rows, where: Prisma.InvitationLinkWhereInput, now: Date, take: number, viewer?: Id) {
  const found = await rows.prisma.invitationLink.findMany({
    where: { ...where, ...isOpen(now) },
    include: { maker: { select: { email: true } }, list: { select: { title: true } } },
    orderBy: { id: "desc" },
    take,
  })
  return found.map(
    ({ id, makerId, maker, email, listId, list, uses, used, expiresAt }): InvitationLink => ({
      id: id.toString(),
      maker: maker?.email,
      email: email ?? undefined,
      listId: listId?.toString(),
      listTitle: makerId?.toString() === viewer ? list?.title : undefined,
      uses,
      used,
      expiresAt: expiresAt.toISOString(),
    }),
  )
}

/** The open links of a user, the newest first. */
export const openLinksOf = (rows: Rows, makerId: Id, now: Date): Promise<InvitationLink[]> =>
  linksWhere(rows, { makerId: BigInt(makerId) }, now, 100, makerId)

/** The open links that a user has not made, the newest first; those of everybody without one. */
export const openLinksOfOthers = (rows: Rows, viewer: Id | undefined, now: Date, most: number) =>
  linksWhere(
    rows,
    viewer === undefined ? {} : { OR: [{ makerId: null }, { makerId: { not: BigInt(viewer) } }] },
    now,
    most,
    "",
  )

/** Ends a link: of a user, or of anybody when that is undefined. False when there is none. */
export async function dropLink({ prisma }: Rows, id: Id, makerId: Id | undefined): Promise<boolean> {
  const where = { id: BigInt(id), ...(makerId !== undefined && { makerId: BigInt(makerId) }) }
  return (await prisma.invitationLink.deleteMany({ where })).count > 0
}

/** Uses a link up once, for one of any number of requests; with its last use it goes. */
export async function takeUse({ prisma }: Rows, { id, uses }: { id: Id; uses: number }): Promise<boolean> {
  const of = { id: BigInt(id) }
  const one = { where: { ...of, used: { lt: uses } }, data: { used: { increment: 1 } } }
  const { count } = await prisma.invitationLink.updateMany(one)
  await prisma.invitationLink.deleteMany({ where: { ...of, used: uses } })
  return count > 0
}

/** Lists that can be shared: those of a member, or all of them. */
const shareable = (memberId: Id | undefined): Prisma.ListWhereInput => ({
  listType: { not: "inbox" },
  deletedAt: null,
  ...(memberId !== undefined && { memberships: { some: { userId: BigInt(memberId), state: "accepted" } } }),
})

/** Whether a user, or an operator, can invite to a list. */
export const canInviteTo = async ({ prisma }: Rows, listId: Id, memberId: Id | undefined): Promise<boolean> =>
  (await prisma.list.count({ where: { id: BigInt(listId), ...shareable(memberId) } })) > 0

/** The lists that a user can invite to. */
export const listsToInviteTo = async ({ prisma }: Rows, memberId: Id): Promise<{ id: Id; title: string }[]> => {
  const lists = await prisma.list.findMany({
    where: shareable(memberId),
    select: { id: true, title: true },
    orderBy: [{ title: "asc" }, { id: "asc" }],
    take: 1_000,
  })
  return lists.map(({ id, title }) => ({ id: id.toString(), title }))
}

import type { Rows } from "../context.js"
import { undefinedIfNotFound } from "../errors.js"
import type { MailedLink as MailedLinkRow } from "../generated/prisma/client.js"
import { hashOf, newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"

const LINK_MS = 60 * 60_000

/** A link of one purpose opens nothing of another. */
export type Purpose = "sign-up" | "reset-password" | "change-email"

/** A mailed link: opening it proves access to the mailbox. */
export type MailedLink = {
  readonly email: string
  /** Whose account it is about; null for somebody who signs up. */
  readonly userId: Id | null
  /** A page to go on to. */
  readonly next: string | undefined
  /** The invitation with which somebody signs up, if there is one. */
  readonly invitation?: Uint8Array<ArrayBuffer> | undefined
}

/** Makes a link's token, good once and for an hour. */
export async function createMailedLink(
  { prisma }: Rows,
  purpose: Purpose,
  { email, userId, next, invitation }: MailedLink,
): Promise<string> {
  const token = newSecret()
  const about = { email, userId: userId === null ? null : BigInt(userId), next, invitationHash: invitation }
  const expiresAt = new Date(Date.now() + LINK_MS)
  await prisma.mailedLink.create({ data: { tokenHash: hashOf(token), purpose, ...about, expiresAt } })
  return token
}

const good = (purpose: Purpose, token: string) => ({
  where: { tokenHash: hashOf(token), purpose, expiresAt: { gt: new Date() } },
  select: { email: true, userId: true, next: true, invitationHash: true },
})

type Row = Pick<MailedLinkRow, keyof ReturnType<typeof good>["select"]>

async function linkOf({ prisma }: Rows, purpose: Purpose, row: Row): Promise<MailedLink | undefined> {
  const { email, userId, next, invitationHash } = row
  // A link to reset a password is its user's only while the address that it was mailed to is.
  if (purpose === "reset-password" && (await prisma.user.count({ where: { id: userId ?? 0n, email } })) === 0)
    return undefined
  return {
    email,
    userId: userId?.toString() ?? null,
    next: next ?? undefined,
    invitation: invitationHash ?? undefined,
  }
}

/** Looks at a link without using it: programs that check mails open links too. */
export async function findMailedLink(rows: Rows, purpose: Purpose, token: string): Promise<MailedLink | undefined> {
  const row = await rows.prisma.mailedLink.findUnique(good(purpose, token))
  return row === null ? undefined : linkOf(rows, purpose, row)
}

/** Uses a link: a result for one of any number of requests. */
export async function takeMailedLink(rows: Rows, purpose: Purpose, token: string): Promise<MailedLink | undefined> {
  const row = await rows.prisma.mailedLink.delete(good(purpose, token)).catch(undefinedIfNotFound)
  return row && linkOf(rows, purpose, row)
}

/** Ends the other links by which somebody could sign up with this address. */
export async function dropSignUpLinks({ prisma }: Rows, email: string): Promise<void> {
  await prisma.mailedLink.deleteMany({ where: { email, purpose: "sign-up" } })
}

/** Ends every link that was mailed about an account before its address or password changed. */
export async function dropMailedLinks({ prisma }: Rows, userId: Id): Promise<void> {
  await prisma.mailedLink.deleteMany({ where: { userId: BigInt(userId) } })
}

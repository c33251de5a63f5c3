import type { Rows } from "../context.js"
import { undefinedIfNotFound } from "../errors.js"
import type { IdentityRequest, Prisma } from "../generated/prisma/client.js"
import { hashOf } from "../signing/secret.js"
import type { Id } from "../statement.js"

const REQUEST_MS = 15 * 60_000
const PENDING_MS = 60 * 60_000

/** Whose an identity is, and whether they are kept out. Written down as used. */
export async function userOfIdentity({ prisma }: Rows, issuer: string, subject: string) {
  const [known] = await prisma.identity.updateManyAndReturn({
    where: { issuer, subject },
    data: { usedAt: new Date() },
    select: { userId: true, user: { select: { disabled: true } } },
  })
  return known && { userId: known.userId.toString(), isDisabled: known.user.disabled !== null }
}

/** Gives an identity to a user. False when it is another's by now. */
export async function addIdentity({ prisma }: Rows, user: Id, issuer: string, subject: string): Promise<boolean> {
  const userId = BigInt(user)
  const where = { issuer_subject: { issuer, subject } }
  const row = await prisma.identity.upsert({ where, create: { issuer, subject, userId }, update: { issuer } })
  return row.userId === userId
}

/** Whether an issuer knows a user under another subject. */
export const hasOtherIdentity = async ({ prisma }: Rows, userId: Id, issuer: string, subject: string) =>
  (await prisma.identity.count({ where: { userId: BigInt(userId), issuer, subject: { not: subject } } })) > 0

/** Takes all of a user's identities from them. An address that a provider verifies links itself again. */
export async function dropIdentities({ prisma }: Rows, userId: Id): Promise<void> {
  await prisma.identity.deleteMany({ where: { userId: BigInt(userId) } })
}

/** Keeps what the provider is told when a session, by its cookie, ends; nothing when it has ended. */
export async function keepIdToken({ prisma }: Rows, cookie: string, issuer: string, idToken: string): Promise<void> {
  const session = { connect: { tokenHash: hashOf(cookie) } }
  await prisma.sessionIdentity.create({ data: { issuer, idToken, session } }).catch(undefinedIfNotFound)
}

/** What was kept of a session, by its cookie. */
export const idTokenOfSession = ({ prisma }: Rows, cookie: string) =>
  prisma.sessionIdentity.findFirst({ where: { session: { tokenHash: hashOf(cookie) } } })

/** Where somebody was going, and the invitation by which they came, if there is one. */
export type Asked = { readonly next: string | undefined; readonly invitation: Uint8Array<ArrayBuffer> | undefined }

const asked = <Row extends Pick<IdentityRequest, "next" | "invitationHash">>({
  next,
  invitationHash,
  ...row
}: Row) => ({
  ...row,
  next: next ?? undefined,
  invitation: invitationHash ?? undefined,
})

/** Writes down a browser, by its cookie, that goes to the provider. */
export async function keepIdentityRequest(
  { prisma }: Rows,
  state: string,
  browser: string,
  { next, invitation }: Asked,
): Promise<void> {
  const expiresAt = new Date(Date.now() + REQUEST_MS)
  const hashes = { stateHash: hashOf(state), browserHash: hashOf(browser), invitationHash: invitation }
  await prisma.identityRequest.create({ data: { ...hashes, next, expiresAt } })
}

/** Takes one that came back: for one of any number of requests. @throws NotFound */
export const takeIdentityRequest = async ({ prisma }: Rows, state: string, browser: string): Promise<Asked> =>
  asked(
    await prisma.identityRequest.delete({
      where: { stateHash: hashOf(state), browserHash: hashOf(browser), expiresAt: { gt: new Date() } },
      select: { next: true, invitationHash: true },
    }),
  )

const PENDING = {
  issuer: true,
  subject: true,
  email: true,
  name: true,
  idToken: true,
  next: true,
  invitationHash: true,
} satisfies Prisma.PendingIdentitySelect

/** An identity that waits for a proof of its address. */
export type PendingIdentity = Asked &
  Readonly<Omit<Prisma.PendingIdentityGetPayload<{ select: typeof PENDING }>, "next" | "invitationHash">>

/** Keeps one for an hour, by its token and the browser's cookie. */
export async function keepPending(
  { prisma }: Rows,
  token: string,
  browser: string,
  { issuer, subject, email, name, idToken, next, invitation }: PendingIdentity,
): Promise<void> {
  const hashes = { tokenHash: hashOf(token), browserHash: hashOf(browser), invitationHash: invitation }
  const person = { issuer, subject, email, name, idToken, next }
  await prisma.pendingIdentity.create({ data: { ...hashes, ...person, expiresAt: new Date(Date.now() + PENDING_MS) } })
}

/** By which secret one is found: its token, or that of the link that was mailed to its address. */
export type Found = "tokenHash" | "mailedHash"

const pending = (by: Found, token: string, browser: string) => ({
  where: {
    ...(by === "tokenHash" ? { tokenHash: hashOf(token) } : { mailedHash: hashOf(token) }),
    browserHash: hashOf(browser),
    expiresAt: { gt: new Date() },
  },
  select: PENDING,
})

/** Looks at one. @throws NotFound when it is used or too old */
export const findPending = async ({ prisma }: Rows, ...which: Parameters<typeof pending>): Promise<PendingIdentity> =>
  asked(await prisma.pendingIdentity.findUniqueOrThrow(pending(...which)))

/** Uses one up. @throws NotFound when it is used or too old */
export const takePending = async ({ prisma }: Rows, ...which: Parameters<typeof pending>): Promise<PendingIdentity> =>
  asked(await prisma.pendingIdentity.delete(pending(...which)))

/** Gives one, by its token, a link to be mailed. */
export async function setMailedToken({ prisma }: Rows, token: string, mailed: string): Promise<void> {
  const where = { tokenHash: hashOf(token) }
  await prisma.pendingIdentity.updateMany({ where, data: { mailedHash: hashOf(mailed) } })
}

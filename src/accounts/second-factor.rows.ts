import type { Rows } from "../context.js"
import type { Id } from "../statement.js"

type Bytes = Buffer<ArrayBuffer>

/** How long a secret waits for its first code, and a sign-in for its second factor. */
const WAITING_MS = 600_000

/** A user's second factor that is on, with how many recovery codes are left. */
export const secondFactorOf = async ({ prisma }: Rows, userId: Id) => {
  const row = await prisma.secondFactor.findFirst({
    where: { userId: BigInt(userId), confirmedAt: { not: null } },
    include: { _count: { select: { recoveryCodes: true } } },
  })
  if (row?.confirmedAt == null) return undefined
  return { secret: Buffer.from(row.secret), since: row.confirmedAt.toISOString(), codesLeft: row._count.recoveryCodes }
}

/** The secret that waits for its first code. */
export async function waitingSecretOf({ prisma }: Rows, userId: Id, now: Date): Promise<Bytes | undefined> {
  const since = new Date(now.getTime() - WAITING_MS)
  const where = { userId: BigInt(userId), confirmedAt: null, createdAt: { gt: since } }
  const row = await prisma.secondFactor.findFirst({ where })
  return row === null ? undefined : Buffer.from(row.secret)
}

/** Keeps a secret that is not in force yet; false when the user has a second factor. */
export async function keepSecret({ prisma }: Rows, userId: Id, secret: Bytes, now: Date): Promise<boolean> {
  const row = { userId: BigInt(userId), secret, createdAt: now }
  await prisma.secondFactor.deleteMany({ where: { userId: row.userId, confirmedAt: null } })
  return (await prisma.secondFactor.createMany({ data: [row], skipDuplicates: true })).count > 0
}

/** Puts a secret in force; its code of the step is used up. False when another one came first. */
export async function confirmSecret(
  { prisma }: Rows,
  userId: Id,
  { secret, step, now }: { secret: Bytes; step: number; now: Date },
): Promise<boolean> {
  const { count } = await prisma.secondFactor.updateMany({
    where: { userId: BigInt(userId), secret, confirmedAt: null },
    data: { confirmedAt: now, lastStep: BigInt(step) },
  })
  return count > 0
}

/** Uses up the code of a step: false when it, or a later one, was used before. */
export async function takeStep({ prisma }: Rows, userId: Id, step: number): Promise<boolean> {
  const { count } = await prisma.secondFactor.updateMany({
    where: { userId: BigInt(userId), confirmedAt: { not: null }, lastStep: { lt: BigInt(step) } },
    data: { lastStep: BigInt(step) },
  })
  return count > 0
}

/** Uses up a recovery code, by its hash. Gives how many are left. */
export async function takeRecoveryCode({ prisma }: Rows, userId: Id, hash: Bytes): Promise<number | undefined> {
  const of = { userId: BigInt(userId) }
  const { count } = await prisma.recoveryCode.deleteMany({ where: { ...of, codeHash: hash } })
  return count === 0 ? undefined : prisma.recoveryCode.count({ where: of })
}

/** Keeps hashes of recovery codes; those of before are worth nothing then. */
export async function replaceRecoveryHashes({ prisma }: Rows, userId: Id, hashes: readonly Bytes[]): Promise<void> {
  const of = { userId: BigInt(userId) }
  await prisma.recoveryCode.deleteMany({ where: of })
  await prisma.recoveryCode.createMany({ data: hashes.map((hash) => ({ ...of, codeHash: hash })) })
}

/** Turns a second factor off, with its codes; false when it is off. */
export async function dropSecondFactor({ prisma }: Rows, userId: Id): Promise<boolean> {
  const where = { userId: BigInt(userId), confirmedAt: { not: null } }
  return (await prisma.secondFactor.deleteMany({ where })).count > 0
}

/** Keeps that the password was right: in a browser, by the hash of its cookie. */
export async function keepHalfSignIn({ prisma }: Rows, browserHash: Bytes, userId: Id, now: Date): Promise<void> {
  const row = { userId: BigInt(userId), expiresAt: new Date(now.getTime() + WAITING_MS) }
  await prisma.halfSignIn.upsert({ where: { browserHash }, create: { browserHash, ...row }, update: row })
}

const open = (browserHash: Bytes, now: Date) => ({
  browserHash,
  expiresAt: { gt: now },
  user: { disabled: { is: null } },
})

/** Whose password was right in a browser, by the hash of its cookie. */
export async function halfSignInOf({ prisma }: Rows, browser: Bytes, now: Date): Promise<Id | undefined> {
  return (await prisma.halfSignIn.findFirst({ where: open(browser, now) }))?.userId.toString()
}

/** The same, for one of any number of requests. */
export async function takeHalfSignIn({ prisma }: Rows, browser: Bytes, userId: Id, now: Date): Promise<boolean> {
  const where = { ...open(browser, now), userId: BigInt(userId) }
  return (await prisma.halfSignIn.deleteMany({ where })).count > 0
}

/** Lets nobody go on whose password was right before. */
export async function dropHalfSignIns({ prisma }: Rows, userId: Id): Promise<void> {
  await prisma.halfSignIn.deleteMany({ where: { userId: BigInt(userId) } })
}

import type { Rows } from "../context.js"
import { inOrder, type Scope } from "../scalars/scope.js"
import { hashOf } from "../signing/secret.js"
import type { Id } from "../statement.js"

/** A code or refresh token as it is stored. */
export type Grant = {
  readonly id: Id
  readonly consentId: Id
  readonly userId: Id
  readonly applicationId: Id
  /** Where the code was sent; empty for a refresh token. */
  readonly redirectUri: string
  readonly codeChallenge: string | undefined
  readonly offline: boolean
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date
  readonly usedAt: Date | undefined
}

type Row = {
  readonly id: bigint
  readonly userId: bigint
  readonly applicationId: bigint
  readonly scopes: readonly string[]
  readonly expiresAt: Date
  readonly usedAt: Date | null
}
const common = ({ id, userId, applicationId, scopes, expiresAt, usedAt }: Row) => ({
  id: id.toString(),
  userId: userId.toString(),
  applicationId: applicationId.toString(),
  scopes: inOrder(scopes),
  expiresAt,
  usedAt: usedAt ?? undefined,
})

/** The consent of a code, used or not. */
export async function consentByCode({ prisma }: Rows, code: string): Promise<Grant | undefined> {
  const row = await prisma.authorizationCode.findUnique({ where: { codeHash: hashOf(code) } })
  if (row === null) return undefined
  const { id, redirectUri, codeChallenge, offline } = row
  return { ...common(row), consentId: id.toString(), redirectUri, codeChallenge: codeChallenge ?? undefined, offline }
}

/** A refresh token, used or not. */
export async function refreshTokenOf({ prisma }: Rows, token: string): Promise<Grant | undefined> {
  const row = await prisma.refreshToken.findUnique({ where: { tokenHash: hashOf(token) } })
  if (row === null) return undefined
  return {
    ...common(row),
    consentId: row.consentId.toString(),
    redirectUri: "",
    codeChallenge: undefined,
    offline: true,
  }
}

/** Uses a code, for one of any number of requests. */
export async function takeCode({ prisma }: Rows, id: Id): Promise<boolean> {
  const where = { id: BigInt(id), usedAt: null }
  return (await prisma.authorizationCode.updateMany({ where, data: { usedAt: new Date() } })).count > 0
}

/** What is known of an access or refresh token. */
export async function tokenOf({ prisma }: Rows, token: string) {
  const where = { tokenHash: hashOf(token) }
  const access = await prisma.accessToken.findUnique({ where })
  const refresh = access === null ? await prisma.refreshToken.findUnique({ where }) : null
  const row = access ?? refresh
  if (row === null) return undefined
  const { id, consentId, applicationId, userId, createdAt, expiresAt, scopes } = row
  const isOver = access === null ? refresh?.usedAt != null : access.revokedAt !== null
  return {
    kind: access === null ? ("refresh" as const) : ("access" as const),
    id: id.toString(),
    consentId: consentId?.toString(),
    applicationId: applicationId.toString(),
    userId: userId.toString(),
    issuedAtSeconds: seconds(createdAt),
    expiresAtSeconds: expiresAt === null ? undefined : seconds(expiresAt),
    isActive: !isOver && (expiresAt === null || expiresAt > new Date()),
    scopes: inOrder(scopes),
  }
}

const seconds = (instant: Date): number => Math.trunc(instant.getTime() / 1_000)

/** Ends one access token, and not its consent; false when it had ended before. */
export async function endAccessToken({ prisma }: Rows, id: Id): Promise<boolean> {
  const where = { id: BigInt(id), revokedAt: null }
  return (await prisma.accessToken.updateMany({ where, data: { revokedAt: new Date() } })).count > 0
}

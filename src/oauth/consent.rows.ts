import type { Rows } from "../context.js"
import type { AccessToken, RefreshToken } from "../generated/prisma/client.js"
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

const GIVEN = { id: true, userId: true, applicationId: true, scopes: true } as const
const USABLE = { ...GIVEN, expiresAt: true, usedAt: true } as const
const STATE = { ...GIVEN, consentId: true, createdAt: true, expiresAt: true } as const

const given = (row: Pick<AccessToken, keyof typeof GIVEN>) => ({
  id: row.id.toString(),
  userId: row.userId.toString(),
  applicationId: row.applicationId.toString(),
  scopes: inOrder(row.scopes),
})

const usable = ({ expiresAt, usedAt }: Pick<RefreshToken, "expiresAt" | "usedAt">) => ({
  expiresAt,
  usedAt: usedAt ?? undefined,
})

/** The consent of a code, used or not. */
export async function consentByCode({ prisma }: Rows, code: string): Promise<Grant | undefined> {
  const row = await prisma.authorizationCode.findUnique({
    where: { codeHash: hashOf(code) },
    select: { ...USABLE, redirectUri: true, codeChallenge: true, offline: true },
  })
  if (row === null) return undefined
  const { redirectUri, offline } = row
  const codeChallenge = row.codeChallenge ?? undefined
  return { ...given(row), ...usable(row), consentId: row.id.toString(), redirectUri, codeChallenge, offline }
}

/** A refresh token, used or not. */
export async function refreshTokenOf({ prisma }: Rows, token: string): Promise<Grant | undefined> {
  const row = await prisma.refreshToken.findUnique({
    where: { tokenHash: hashOf(token) },
    select: { ...USABLE, consentId: true },
  })
  if (row === null) return undefined
  const none = { redirectUri: "", codeChallenge: undefined }
  return { ...given(row), ...usable(row), consentId: row.consentId.toString(), ...none, offline: true }
}

/** Uses a code, for one of any number of requests. */
export async function takeCode({ prisma }: Rows, id: Id): Promise<boolean> {
  const where = { id: BigInt(id), usedAt: null }
  return (await prisma.authorizationCode.updateMany({ where, data: { usedAt: new Date() } })).count > 0
}

/** What is known of an access or refresh token. */
export async function tokenOf({ prisma }: Rows, token: string) {
  const where = { tokenHash: hashOf(token) }
  const access = await prisma.accessToken.findUnique({ where, select: { ...STATE, revokedAt: true } })
  if (access !== null) return { ...tokenState(access, access.revokedAt), kind: "access" as const }
  const refresh = await prisma.refreshToken.findUnique({ where, select: { ...STATE, usedAt: true } })
  return refresh === null ? undefined : { ...tokenState(refresh, refresh.usedAt), kind: "refresh" as const }
}

function tokenState(row: Pick<AccessToken | RefreshToken, keyof typeof STATE>, endedAt: Date | null) {
  const { consentId, createdAt, expiresAt } = row
  return {
    ...given(row),
    consentId: consentId?.toString(),
    issuedAtSeconds: seconds(createdAt),
    expiresAtSeconds: expiresAt === null ? undefined : seconds(expiresAt),
    isActive: endedAt === null && (expiresAt === null || expiresAt > new Date()),
  }
}

const seconds = (instant: Date): number => Math.trunc(instant.getTime() / 1_000)

/** Ends one access token, and not its consent; false when it had ended before. */
export async function endAccessToken({ prisma }: Rows, id: Id): Promise<boolean> {
  const where = { id: BigInt(id), revokedAt: null }
  return (await prisma.accessToken.updateMany({ where, data: { revokedAt: new Date() } })).count > 0
}

import type { Rows } from "../../context.js"
import { NotFound } from "../../errors.js"
import type { Prisma } from "../../generated/prisma/client.js"
import { inOrder, type Scope } from "../../scalars/scope.js"
import type { Id } from "../../statement.js"
import type { AccessToken } from "./access-token.type.js"
import type { Application, ApplicationDialect } from "./application.type.js"

const SHOWN = {
  id: true,
  clientId: true,
  secretHash: true,
  name: true,
  dialect: true,
  redirectUris: true,
  scopes: true,
  createdAt: true,
} satisfies Prisma.ApplicationSelect

type Row = Prisma.ApplicationGetPayload<{ select: typeof SHOWN }>

const application = ({ id, secretHash, ...row }: Row): Application => ({
  ...row,
  id: String(id),
  dialect: row.dialect as ApplicationDialect,
  createdAt: row.createdAt.toISOString(),
  scopes: inOrder(row.scopes as Scope[]),
  isPublic: secretHash === null,
})

/** The applications that a user has registered, by id. */
export async function applicationsOfUser({ prisma }: Rows, userId: Id): Promise<Application[]> {
  const where = { ownerId: BigInt(userId) }
  const rows = await prisma.application.findMany({ where, select: SHOWN, orderBy: { id: "asc" } })
  return rows.map(application)
}

/** @throws NotFound, also for an application that belongs to somebody else or to nobody */
export async function applicationOfOwner({ prisma }: Rows, id: Id, ownerId: Id): Promise<Application> {
  const where = { id: BigInt(id), ownerId: BigInt(ownerId) }
  const row = await prisma.application.findFirst({ where, select: SHOWN })
  if (row === null) throw new NotFound()
  return application(row)
}

/** Gives an application another secret. The one before is good no more. @throws NotFound, for a public one too, which has none */
export async function replaceSecret(
  { prisma }: Rows,
  id: Id,
  ownerId: Id,
  secretHash: Uint8Array<ArrayBuffer>,
): Promise<Application> {
  const where = { id: BigInt(id), ownerId: BigInt(ownerId), secretHash: { not: null } }
  const [row] = await prisma.application.updateManyAndReturn({ where, data: { secretHash }, select: SHOWN })
  if (row === undefined) throw new NotFound()
  return application(row)
}

/**
 * Revokes a user's consents to an application and ends what it has got by them. Gives its access tokens, and how much has ended. Consents go
 * first: an exchange or renewal at this moment holds the consent's row, so that after it no token can appear that was not there. What
 * renews goes last: where this breaks off, the application is still shown for as long as something of it is left, to be revoked again.
 */
export async function endAuthorization({ prisma }: Rows, userId: Id, applicationId: Id) {
  const of = { userId: BigInt(userId), applicationId: BigInt(applicationId) }
  const consents = await prisma.authorizationCode.deleteMany({ where: of })
  const tokens = await prisma.accessToken.updateManyAndReturn({
    where: { ...of, revokedAt: null, name: null, sessionId: null },
    data: { revokedAt: new Date() },
    select: { id: true },
  })
  const renewals = await prisma.refreshToken.deleteMany({ where: of })
  return { tokens: tokens.map(({ id }) => id.toString()), count: consents.count + renewals.count + tokens.length }
}

const TOKEN_SHOWN = {
  id: true,
  name: true,
  scopes: true,
  createdAt: true,
  lastUsedAt: true,
  application: { select: { clientId: true } },
} satisfies Prisma.AccessTokenSelect

type TokenRow = Prisma.AccessTokenGetPayload<{ select: typeof TOKEN_SHOWN }>

const accessToken = ({
  id,
  name,
  scopes,
  createdAt,
  lastUsedAt,
  application: { clientId },
}: TokenRow): AccessToken => ({
  id: String(id),
  name: name as string,
  clientId,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  scopes: inOrder(scopes as Scope[]),
})

/** The personal tokens of a user that have not been revoked, by id. */
export async function personalTokens({ prisma }: Rows, userId: Id): Promise<AccessToken[]> {
  const tokens = await prisma.accessToken.findMany({
    where: { userId: BigInt(userId), name: { not: null }, revokedAt: null },
    select: TOKEN_SHOWN,
    orderBy: { id: "asc" },
  })
  return tokens.map(accessToken)
}

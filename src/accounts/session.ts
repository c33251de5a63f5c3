import { createHmac } from "node:crypto"
import type { Rows } from "../context.js"
import { hashOf, newSecret } from "../signing/secret.js"
import type { Id, Runner } from "../statement.js"
import {
  endAllBut,
  endById,
  endByToken,
  insertSessionToken,
  type Session,
  sessionByToken,
} from "./session.statements.js"

const IDLE_DAYS = 30

/** How long a session lasts that is not used. */
export const SESSION_SECONDS = IDLE_DAYS * 86_400

/** Signs a user in. Gives what the cookie is to hold: always a new one, so that nobody can have put it there before. */
export async function startSession({ prisma }: Rows, userId: Id, agent: string): Promise<string> {
  const token = newSecret()
  const userAgent = agent.replaceAll("\0", "").slice(0, 500)
  const expiresAt = new Date(Date.now() + SESSION_SECONDS * 1_000)
  await prisma.session.create({ data: { tokenHash: hashOf(token), userId: BigInt(userId), userAgent, expiresAt } })
  return token
}

/** The session that a cookie stands for, if any. */
export async function findSession(database: Runner, token: string): Promise<Session | undefined> {
  return (await database.run(sessionByToken, [hashOf(token), IDLE_DAYS]))[0]
}

/** Signs out. Gives the tokens that end with it. */
export const endSession = (database: Runner, token: string): Promise<Id[]> => database.run(endByToken, [hashOf(token)])

/** Signs a user out of one browser. Returns the tokens that end with it. */
export const endSessionOf = (database: Runner, userId: Id, id: Id): Promise<Id[]> => database.run(endById, [id, userId])

/** Signs a user out everywhere, but not in the session `kept`. Gives the tokens that end with it. */
export const endOtherSessions = (database: Runner, userId: Id, kept: Id | null): Promise<Id[]> =>
  database.run(endAllBut, [userId, kept])

/** A person signs in as often as they like: so many browsers are shown. */
const MAX_SHOWN = 100

/** Where a user is signed in, the latest first; at most 100. */
export async function listSessions({ prisma }: Rows, userId: Id) {
  const sessions = await prisma.session.findMany({
    where: { userId: BigInt(userId), expiresAt: { gt: new Date() } },
    orderBy: [{ seenAt: "desc" }, { id: "desc" }],
    take: MAX_SHOWN,
  })
  return sessions.map(({ id, userAgent, createdAt, seenAt }) => ({
    id: id.toString(),
    userAgent,
    createdAt: createdAt.toISOString(),
    seenAt: seenAt.toISOString(),
  }))
}

const PERIOD_MS = 6 * 3_600_000

/**
 * What the scripts of a session's pages send as X-Access-Token: made of the cookie, which they cannot read, and the same in
 * all its windows. It changes every six hours, lasts for six to twelve, and ends with the session. (ADR 16)
 */
export async function sessionToken(database: Runner, cookie: string, sessionId: Id, now: Date): Promise<string> {
  const period = Math.floor(now.getTime() / PERIOD_MS)
  const token = createHmac("sha256", cookie).update(`access ${period}`).digest("base64url")
  const expiresAt = new Date((period + 2) * PERIOD_MS).toISOString()
  await database.run(insertSessionToken, [hashOf(token), sessionId, expiresAt])
  return token
}

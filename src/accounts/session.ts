import { createHmac } from "node:crypto"
import { hashOf, newSecret } from "../signing/secret.js"
import { type Fields, type Id, instantOf, type Runner, statement } from "../statement.js"

const IDLE_DAYS = 30

/** A browser in which somebody is signed in. */
export type Session = {
  readonly id: Id
  readonly user: {
    readonly id: Id
    readonly name: string
    readonly email: string
    readonly avatarUrl: string | null
    readonly hasPassword: boolean
    readonly isAdministrator: boolean
  }
}

/** How long a session lasts that is not used. */
export const SESSION_SECONDS = IDLE_DAYS * 86_400

const insertSession = statement(
  "insert_session",
  `insert into sessions (token_hash, user_id, user_agent, expires_at) values ($1, $2::bigint, $3, now() + interval '${IDLE_DAYS} days') returning id`,
  ([id]) => id as Id,
)

// Written at most every five minutes, not at each page.
const sessionByToken = statement(
  "session_by_token",
  `with s as (select id, user_id, seen_at from sessions where token_hash = $1 and expires_at > now()),
   seen as (update sessions set seen_at = now(), expires_at = now() + interval '${IDLE_DAYS} days'
     from s where sessions.id = s.id and s.seen_at < now() - interval '5 minutes')
   select s.id, u.id, u.name, u.email, u.avatar_url, u.password_hash is not null,
     exists (select from administrators a where a.user_id = u.id) from s join users u on u.id = s.user_id`,
  ([id, userId, name, email, avatarUrl, hasPassword, isAdministrator]): Session => ({
    id: id as Id,
    user: {
      id: userId as Id,
      name: name as string,
      email: email as string,
      avatarUrl: avatarUrl ?? null,
      hasPassword: hasPassword === "t",
      isAdministrator: isAdministrator === "t",
    },
  }),
)

// What a session's pages could do ends with it, and every node is to hear of that: each gives the tokens that end.
const ending = (name: string, where: string) =>
  statement(
    name,
    `with s as (delete from sessions where ${where} returning id)
     select a.id from s join access_tokens a on a.session_id = s.id where a.revoked_at is null`,
    ([id]: Fields) => id as Id,
  )
const endByToken = ending("end_session_by_token", "token_hash = $1")
const endById = ending("end_session", "id = $1::bigint and user_id = $2::bigint")
const endAllBut = ending("end_sessions_but_one", "user_id = $1::bigint and id is distinct from $2::bigint")

const sessionsOf = statement(
  "sessions_of_user",
  "select id, user_agent, created_at, seen_at from sessions where user_id = $1::bigint and expires_at > now() order by seen_at desc, id desc",
  ([id, userAgent, createdAt, seenAt]) => ({
    id: id as Id,
    userAgent: userAgent as string,
    createdAt: instantOf(createdAt as string),
    seenAt: instantOf(seenAt as string),
  }),
)

/** Signs a user in. Gives what the cookie is to hold: always a new one, so that nobody can have put it there before. */
export async function startSession(database: Runner, userId: Id, userAgent: string): Promise<string> {
  const token = newSecret()
  await database.run(insertSession, [hashOf(token), userId, userAgent.replaceAll("\0", "").slice(0, 500)])
  return token
}

/** The session that a cookie stands for, if any. */
export async function findSession(database: Runner, token: string): Promise<Session | undefined> {
  return (await database.run(sessionByToken, [hashOf(token)]))[0]
}

/** Signs out. Gives the tokens that end with it. */
export const endSession = (database: Runner, token: string): Promise<Id[]> => database.run(endByToken, [hashOf(token)])

/** Signs a user out of one browser. Returns the tokens that end with it. */
export const endSessionOf = (database: Runner, userId: Id, id: Id): Promise<Id[]> => database.run(endById, [id, userId])

/** Signs a user out everywhere, but not in the session `kept`. Gives the tokens that end with it. */
export const endOtherSessions = (database: Runner, userId: Id, kept: Id | null): Promise<Id[]> =>
  database.run(endAllBut, [userId, kept])

/** Where a user is signed in, the latest first. */
export const listSessions = (database: Runner, userId: Id) => database.run(sessionsOf, [userId])

const PERIOD_MS = 6 * 3_600_000

const insertSessionToken = statement(
  "insert_session_token",
  `insert into access_tokens (token_hash, user_id, application_id, session_id, expires_at)
   select $1, s.user_id, p.id, s.id, $3::timestamptz from sessions s, applications p where s.id = $2::bigint and p.client_id = 'personal'
   on conflict (token_hash) do nothing`,
  () => undefined,
)

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

import { type Fields, type Id, statement } from "../statement.js"

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

/**
 * The session of a cookie, $1 its hash. Each page asks for it, so it is one trip; $2 is for how many days it is good from now on, which is
 * written at most every five minutes.
 */
export const sessionByToken = statement(
  "session_by_token",
  `with s as (select id, user_id, seen_at from sessions where token_hash = $1 and expires_at > now()),
   seen as (update sessions set seen_at = now(), expires_at = now() + make_interval(days => $2::int)
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

// What a session's pages could do ends with it, and every node is to hear of that: each gives the tokens that go with what it deletes,
// which Prisma cannot.
const ending = (name: string, where: string) =>
  statement(
    name,
    `with s as (delete from sessions where ${where} returning id)
     select a.id from s join access_tokens a on a.session_id = s.id where a.revoked_at is null`,
    ([id]: Fields) => id as Id,
  )
/** Ends the session of a cookie, $1 its hash. */
export const endByToken = ending("end_session_by_token", "token_hash = $1")

/** Ends one session, $1, of a user, $2. */
export const endById = ending("end_session", "id = $1::bigint and user_id = $2::bigint")

/** Ends all sessions of a user, $1, but one, $2, where that is not null. */
export const endAllBut = ending("end_sessions_but_one", "user_id = $1::bigint and id is distinct from $2::bigint")

/**
 * A token, $1 its hash, of a session, $2, until $3. One that is there stays, and is good again where it was revoked by itself: its
 * session is what lets somebody in. Each page of a session asks for it, so it is one trip.
 */
export const insertSessionToken = statement(
  "insert_session_token",
  `insert into access_tokens (token_hash, user_id, application_id, session_id, expires_at)
   select $1, s.user_id, p.id, s.id, $3::timestamptz from sessions s, applications p where s.id = $2::bigint and p.client_id = 'personal'
   on conflict (token_hash) do update set revoked_at = null where access_tokens.revoked_at is not null`,
  () => undefined,
)

import { type Id, statement } from "../statement.js"

/** Whose an identity is: $1 the issuer, $2 the subject. Written down as used. */
export const userOfIdentity = statement(
  "user_of_identity",
  `with used as (update identities set used_at = now() where issuer = $1 and subject = $2 returning user_id)
   select user_id, exists (select from disabled_users d where d.user_id = used.user_id) from used`,
  ([userId, isDisabled]) => ({ userId: userId as Id, isDisabled: isDisabled === "t" }),
)

/** Gives an identity, $1 the issuer and $2 the subject, to a user, $3. No row when it is another's by now. */
export const addIdentity = statement(
  "add_identity",
  `insert into identities as i (issuer, subject, user_id) values ($1, $2, $3::bigint)
   on conflict (issuer, subject) do update set used_at = now() where i.user_id = excluded.user_id returning user_id`,
  ([userId]) => userId as Id,
)

/** Has those who link a user's identities wait for each other: $1 the user. Until the transaction's end. */
export const lockForLinking = statement(
  "lock_for_linking",
  "select 1 from users where id = $1::bigint for no key update",
  () => true,
)

/** As `addIdentity`, but no row when the user has another identity of the issuer. After `lockForLinking`. */
export const addOnlyIdentity = statement(
  "add_only_identity",
  `insert into identities as i (issuer, subject, user_id) select $1, $2, $3::bigint
   where not exists (select from identities o where o.user_id = $3::bigint and o.issuer = $1 and o.subject <> $2)
   on conflict (issuer, subject) do update set used_at = now() where i.user_id = excluded.user_id returning user_id`,
  ([userId]) => userId as Id,
)

/** Takes all of a user's identities, $1 the user, from them. An address that a provider verifies links itself again. */
export const dropIdentities = statement(
  "drop_identities",
  "delete from identities where user_id = $1::bigint returning issuer",
  ([issuer]) => issuer as string,
)

/** Keeps what the provider is told when a session ends: $1 the hash of its cookie, $2 the issuer, $3 the ID token. */
export const keepIdToken = statement(
  "keep_id_token",
  "insert into session_identities (session_id, issuer, id_token) select id, $2, $3 from sessions where token_hash = $1",
  () => true,
)

/** What was kept of a session: $1 the hash of its cookie. */
export const idTokenOfSession = statement(
  "id_token_of_session",
  `select i.issuer, i.id_token from session_identities i join sessions s on s.id = i.session_id where s.token_hash = $1`,
  ([issuer, idToken]) => ({ issuer: issuer as string, idToken: idToken as string }),
)

/** Writes down a browser that goes to the provider: $1 the hash of the state, $2 of its cookie, $3 a page to go on to, $4 an invitation. */
export const insertIdentityRequest = statement(
  "insert_identity_request",
  "insert into identity_requests (state_hash, browser_hash, next, invitation_hash, expires_at) values ($1, $2, $3, $4::bytea, now() + interval '15 minutes')",
  () => true,
)

/** Takes one that came back: $1 the hash of the state, $2 of its cookie. A row for one of any number of requests. */
export const takeIdentityRequest = statement(
  "take_identity_request",
  "delete from identity_requests where state_hash = $1 and browser_hash = $2 and expires_at > now() returning next, invitation_hash",
  ([next, invitation]) => ({ next: next ?? undefined, invitation: invitation ?? undefined }),
)

/** An identity that waits for a proof of its address. */
export type PendingIdentity = {
  readonly issuer: string
  readonly subject: string
  readonly email: string
  readonly name: string
  readonly idToken: string
  readonly next: string | undefined
  /** The invitation by which they came, if there is one. */
  readonly invitation: string | undefined
}

const COLUMNS = "issuer, subject, email, name, id_token, next, invitation_hash"
const pending = ([issuer, subject, email, name, idToken, next, invitation]: readonly (
  | string
  | null
)[]): PendingIdentity => ({
  issuer: issuer as string,
  subject: subject as string,
  email: email as string,
  name: name as string,
  idToken: idToken as string,
  next: next ?? undefined,
  invitation: invitation ?? undefined,
})

/** Keeps one for an hour: $1 the hash of its token, $2 of the browser's cookie, then its members. */
export const insertPending = statement(
  "insert_pending_identity",
  `insert into pending_identities (token_hash, browser_hash, ${COLUMNS}, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9::bytea, now() + interval '1 hour')`,
  () => true,
)

/** Looks at one: $1 the hash of its token, $2 of the browser's cookie. */
export const pendingByToken = statement(
  "pending_identity_by_token",
  `select ${COLUMNS} from pending_identities where token_hash = $1 and browser_hash = $2 and expires_at > now()`,
  pending,
)

/** Looks at one by the link that was mailed to its address: $1 the hash of the link's token, $2 of the browser's cookie. */
export const pendingByMail = statement(
  "pending_identity_by_mail",
  `select ${COLUMNS} from pending_identities where mailed_hash = $1 and browser_hash = $2 and expires_at > now()`,
  pending,
)

/** Gives one a link to be mailed: $1 the hash of its token, $2 of the link's. */
export const setMailedHash = statement(
  "set_mailed_hash",
  "update pending_identities set mailed_hash = $2 where token_hash = $1 returning 1",
  () => true,
)

/** Uses one up, by either token: $1 its hash, $2 that of the browser's cookie. */
export const takePending = statement(
  "take_pending_identity",
  `delete from pending_identities where (token_hash = $1 or mailed_hash = $1) and browser_hash = $2 and expires_at > now()
   returning ${COLUMNS}`,
  pending,
)

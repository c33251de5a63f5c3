import { type Scope, scopesColumn, scopesIn } from "../scalars/scope.js"
import { type Fields, type Id, statement } from "../statement.js"

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

const grant = ([
  id,
  consentId,
  userId,
  applicationId,
  uri,
  challenge,
  offline,
  expiresAt,
  usedAt,
  scopes,
]: Fields): Grant => ({
  id: id as Id,
  consentId: consentId as Id,
  userId: userId as Id,
  applicationId: applicationId as Id,
  redirectUri: uri ?? "",
  codeChallenge: challenge ?? undefined,
  offline: offline === "t",
  expiresAt: new Date(Number(expiresAt)),
  usedAt: usedAt == null ? undefined : new Date(Number(usedAt)),
  scopes: scopesIn(scopes as string),
})

const MS = (column: string) => `trunc(extract(epoch from ${column}) * 1000)`
const idOnly = ([id]: Fields): Id => id as Id

/** The consent whose code has the hash $1, used or not. */
export const consentByCode = statement(
  "consent_by_code",
  `select id, id, user_id, application_id, redirect_uri, code_challenge, offline, ${MS("expires_at")}, ${MS("used_at")}, ${scopesColumn("c")}
   from authorization_codes c where code_hash = $1`,
  grant,
)

/** The refresh token with the hash $1, used or not. */
export const refreshTokenByHash = statement(
  "refresh_token_by_hash",
  `select id, consent_id, user_id, application_id, null, null, true, ${MS("expires_at")}, ${MS("used_at")}, ${scopesColumn("r")}
   from refresh_tokens r where token_hash = $1`,
  grant,
)

/** Uses a code, $1, at the instant $2 in milliseconds: a row for one of any number of requests. */
export const useCode = statement(
  "use_code",
  "update authorization_codes set used_at = to_timestamp($2::float8 / 1000) where id = $1::bigint and used_at is null returning id",
  idOnly,
)

// The consent's row is held: its user may be taking it back at this moment, or its application be narrowed.
/**
 * Hands out what a consent, $1, allows: $2 hash of the access token, $3 when that expires, in milliseconds, or null; $4 hash of
 * a refresh token or null, $5 when that expires; $6 the access token's scopes, of those of the consent; $7 the refresh token that is
 * used up by it, or null, at the instant $8. Gives the scopes that the access token has. No row, and nothing used up, when the consent was
 * taken back or has none of these scopes any more, or the refresh token was used before.
 */
export const insertTokens = statement(
  "insert_tokens",
  `with consent as (select id, user_id, application_id, scopes from authorization_codes where id = $1::bigint and scopes && $6::text[] for update),
   used as (update refresh_tokens set used_at = to_timestamp($8::float8 / 1000)
     where id = $7::bigint and used_at is null and exists (select from consent) returning id),
   given as (select * from consent where $7::bigint is null or exists (select from used)),
   refresh as (insert into refresh_tokens (token_hash, consent_id, user_id, application_id, scopes, expires_at)
     select $4::bytea, id, user_id, application_id, scopes, to_timestamp($5::float8 / 1000) from given where $4::bytea is not null)
   insert into access_tokens as a (token_hash, user_id, application_id, consent_id, scopes, expires_at)
   select $2, user_id, application_id, id, common_scopes(scopes, $6::text[]), to_timestamp($3::float8 / 1000) from given
   returning ${scopesColumn("a")}`,
  ([scopes]): Scope[] => scopesIn(scopes as string),
)

/** Ends everything that came of a consent, $1, and the consent. */
export const endConsent = statement(
  "end_consent",
  `with r as (delete from refresh_tokens where consent_id = $1::bigint)
   update access_tokens set revoked_at = now() where consent_id = $1::bigint and revoked_at is null returning id`,
  idOnly,
)

const tokenState = ([kind, id, consentId, applicationId, userId, issued, expires, isActive, scopes]: Fields) => ({
  kind: kind as "access" | "refresh",
  id: id as Id,
  consentId: consentId ?? undefined,
  applicationId: applicationId as Id,
  userId: userId as Id,
  issuedAtSeconds: Number(issued),
  expiresAtSeconds: expires == null ? undefined : Number(expires),
  isActive: isActive === "t",
  scopes: scopesIn(scopes as string),
})

const SECONDS = (column: string) => `trunc(extract(epoch from ${column}))`

/** What is known of an access or refresh token with the hash $1. */
export const tokenByHash = statement(
  "token_by_hash",
  `select 'access', id, consent_id, application_id, user_id, ${SECONDS("created_at")}, ${SECONDS("expires_at")},
     revoked_at is null and (expires_at is null or expires_at > now()), ${scopesColumn("a")} from access_tokens a where token_hash = $1
   union all select 'refresh', id, consent_id, application_id, user_id, ${SECONDS("created_at")}, ${SECONDS("expires_at")},
     used_at is null and expires_at > now(), ${scopesColumn("r")} from refresh_tokens r where token_hash = $1`,
  tokenState,
)

/** Ends one access token, $1, and not its consent; no row when it had ended before. */
export const endAccessToken = statement(
  "end_access_token",
  "update access_tokens set revoked_at = now() where id = $1::bigint and revoked_at is null returning id",
  idOnly,
)

const CODE_SECONDS = 600

/**
 * Makes a code: $1 its hash, $2 the user, $3 the application, $4 the address, $5 the challenge, $6 whether it may be renewed, $7 the
 * scopes. Address and scopes are asked for again: they may have been taken off the application while its page was open.
 */
export const insertCode = statement(
  "insert_authorization_code",
  `insert into authorization_codes (code_hash, user_id, application_id, redirect_uri, code_challenge, offline, scopes, expires_at)
   select $1, $2::bigint, p.id, $4, $5, $6::boolean, $7::text[], now() + make_interval(secs => ${CODE_SECONDS})
   from applications p where p.id = $3::bigint and is_registered(p.redirect_uris, $4) and $7::text[] <@ p.scopes for share returning id`,
  ([id]) => id as Id,
)

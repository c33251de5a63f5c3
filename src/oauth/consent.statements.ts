import { type Scope, scopesColumn, scopesIn } from "../scalars/scope.js"
import { type Id, instantOf, statement } from "../statement.js"

// What decides about several tables at once, holds a row against others, or calls a function of the database: Prisma does none of it.

/** The application with the client ID $1, and whether people may return to the address $2. */
export const askerNamed = statement(
  "asker_named",
  `select p.id, p.client_id, p.name, p.created_at, ${scopesColumn("p")}, p.secret_hash is null, is_registered(p.redirect_uris, $2)
   from applications p where p.client_id = $1`,
  ([id, clientId, name, createdAt, scopes, isPublic, isRegistered]) => ({
    application: {
      id: id as Id,
      clientId: clientId as string,
      name: name as string,
      createdAt: instantOf(createdAt as string),
      scopes: scopesIn(scopes as string),
      isPublic: isPublic === "t",
    },
    isRegistered: isRegistered === "t",
  }),
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
  ([id]) => id as Id,
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

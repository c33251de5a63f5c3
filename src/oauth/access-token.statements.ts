import type { Dialect, Viewer } from "../context.js"
import { scopesColumn, scopesIn } from "../scalars/scope.js"
import { type Id, statement } from "../statement.js"

/** Who a token is, and for how long it is good; undefined for one that does not end by itself. */
export type Known = { viewer: Viewer; msLeft: number | undefined }

/** Who a token, $1 its hash, is, of the client ID $2 or of any. Asked for each request whose token is not remembered: hot. */
export const viewerOfToken = statement(
  "viewer_of_token",
  `select a.user_id, a.id, a.application_id, p.client_id, p.dialect, ceil(extract(epoch from a.expires_at - now()) * 1000), ${scopesColumn("a")}
   from access_tokens a join applications p on p.id = a.application_id
   where a.token_hash = $1 and p.client_id = coalesce($2, p.client_id) and a.revoked_at is null and (a.expires_at is null or a.expires_at > now())`,
  ([userId, tokenId, applicationId, clientId, dialect, msLeft, scopes]): Known => ({
    viewer: {
      userId: userId as Id,
      tokenId: tokenId as Id,
      applicationId: applicationId as Id,
      clientId: clientId as string,
      dialect: dialect as Dialect,
      scopes: new Set(scopesIn(scopes as string)),
    },
    msLeft: msLeft == null ? undefined : Number(msLeft),
  }),
)

/**
 * Writes down that tokens, $1, were used: one that is used all the time once a minute. For requests that do without Prisma, for which it is
 * not loaded.
 */
export const markUsed = statement(
  "mark_tokens_used",
  `update access_tokens set last_used_at = now() where id = any($1::bigint[])
   and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
  () => true,
)

/**
 * Makes the token $1 of the user $2 for the application $3 with the scopes $4; gives what the application may have, without a token when that
 * is less. It holds the application's row against those who take scopes off it, as Prisma cannot.
 */
export const insertToken = statement(
  "insert_access_token",
  `with p as (select p.id, p.scopes from applications p where p.client_id = $3 for share), made as (
     insert into access_tokens (token_hash, user_id, application_id, scopes)
     select $1, $2::bigint, p.id, coalesce($4::text[], p.scopes) from p where coalesce($4::text[] <@ p.scopes, true) returning id)
   select ${scopesColumn("p")}, made.id from p left join made on true`,
  ([scopes, id]) => ({ scopes: scopesIn(scopes as string), isMade: id !== null }),
)

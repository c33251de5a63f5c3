/**
 * A CTE `made_by` of one row while the token, a parameter, is good: the application that asks by the access its user gave it,
 * or null for a token of the user's own. The token is held: what it makes is there when its end looks for it, or is not made.
 */
export const madeBy = (token: string): string =>
  `made_by as materialized (select case when a.name is null and a.session_id is null then a.application_id end as application_id
     from access_tokens a where a.id = ${token}::bigint and a.revoked_at is null for share)`

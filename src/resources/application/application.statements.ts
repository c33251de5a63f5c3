import { scopesColumn, scopesIn } from "../../scalars/scope.js"
import { type Fields, type Id, instantOf, statement } from "../../statement.js"
import type { AccessToken } from "./access-token.type.js"
import type { Application, ApplicationDialect, AuthorizedApplication } from "./application.type.js"

const APPLICATION = `p.id, p.client_id, p.name, p.dialect, to_json(p.redirect_uris), p.created_at, ${scopesColumn("p")}, p.secret_hash is null`

const application = ([id, clientId, name, dialect, uris, createdAt, scopes, isPublic]: Fields): Application => ({
  id: id as Id,
  clientId: clientId as string,
  name: name as string,
  dialect: dialect as ApplicationDialect,
  redirectUris: JSON.parse(uris as string) as string[],
  createdAt: instantOf(createdAt as string),
  scopes: scopesIn(scopes as string),
  isPublic: isPublic === "t",
})

const instant = (text: string | null | undefined): string | null => (text == null ? null : instantOf(text))

// Prisma holds no row against others, and gives nothing of what a statement changes or takes away besides its own rows.

/** Registers an application, at the first start of a node too, for which Prisma is not loaded: $1 client ID, $2 hash of the secret or null for a public one, $3 name, $4 dialect, $5 redirect URIs, $6 owner or null, $7 scopes. */
export const insertApplication = statement(
  "insert_application",
  `insert into applications as p (client_id, secret_hash, name, dialect, redirect_uris, owner_id, scopes)
   values ($1, $2::bytea, $3, $4, $5::text[], $6::bigint, $7::text[]) returning ${APPLICATION}`,
  application,
)

/**
 * Changes an application, $1, of its owner, $2: $3 name, $4 dialect, $5 redirect URIs, $6 scopes; null leaves what is there. With
 * the tokens that were good for more, as they are seen before they are narrowed.
 */
export const patchApplication = statement(
  "patch_application",
  `update applications p set name = coalesce($3, p.name), dialect = coalesce($4, p.dialect), redirect_uris = coalesce($5::text[], p.redirect_uris),
     scopes = coalesce($6::text[], p.scopes)
   where p.id = $1::bigint and p.owner_id = $2::bigint returning ${APPLICATION}, (select to_json(array_agg(a.id::text))
     from access_tokens a where a.application_id = p.id and a.revoked_at is null and not a.scopes <@ p.scopes)`,
  (fields) => ({ application: application(fields), narrowed: JSON.parse(fields[8] ?? "[]") as Id[] }),
)

/** Deletes an application, $1, of its owner, $2; the tokens that end with it, among them null. */
export const deleteApplicationRow = statement(
  "delete_application",
  `with p as (delete from applications where id = $1::bigint and owner_id = $2::bigint returning id)
   select a.id from p left join access_tokens a on a.application_id = p.id and a.revoked_at is null`,
  ([id]) => id ?? undefined,
)

/** The applications that a user, $1, has given access to and not revoked, by name: of two tables together, as Prisma does not group. Personal tokens belong to no application. */
export const authorizedApplications = statement(
  "authorized_applications",
  `select p.id, p.client_id, p.name, min(g.created_at), max(g.last_used_at), string_agg(array_to_string(g.scopes, ' '), ' ') from (
     select application_id, created_at, last_used_at, scopes from access_tokens
     where user_id = $1::bigint and revoked_at is null and name is null and session_id is null and (expires_at is null or expires_at > now())
     union all select application_id, created_at, null, scopes from refresh_tokens
     where user_id = $1::bigint and used_at is null and expires_at > now()) g
   join applications p on p.id = g.application_id group by p.id order by lower(p.name), p.id`,
  ([id, clientId, name, authorizedAt, lastUsedAt, scopes]): AuthorizedApplication => ({
    id: id as Id,
    clientId: clientId as string,
    name: name as string,
    scopes: scopesIn(scopes as string),
    authorizedAt: instantOf(authorizedAt as string),
    lastUsedAt: instant(lastUsedAt),
  }),
)

const TOKEN = `a.id, a.name, p.client_id, a.created_at, a.last_used_at, ${scopesColumn("a")}`
const accessToken = ([id, name, clientId, createdAt, lastUsedAt, scopes]: Fields): AccessToken => ({
  id: id as Id,
  name: name as string,
  clientId: clientId as string,
  createdAt: instantOf(createdAt as string),
  lastUsedAt: instant(lastUsedAt),
  scopes: scopesIn(scopes as string),
})

/**
 * Makes a personal token: $1 hash, $2 user, $3 name, $4 client ID, $5 scopes, of which it gets those of the application. No row
 * unless that is one of the user's own or the built-in one, and has some of the scopes.
 */
export const insertPersonalToken = statement(
  "insert_personal_token",
  `with p as (select id, client_id, scopes from applications where client_id = $4 and (owner_id = $2::bigint or client_id = 'personal')
     and scopes && $5::text[] for share),
   a as (insert into access_tokens (token_hash, user_id, application_id, name, scopes)
     select $1, $2::bigint, p.id, $3, common_scopes(p.scopes, $5::text[]) from p returning *)
   select ${TOKEN} from a, p`,
  accessToken,
)

import { memberOf, membershipOf } from "../access/access.js"
import { type Fields, type Id, instantOf, statement } from "../statement.js"

/** A link by which people sign up, as its maker and administrators see it: never with its token. */
export type InvitationLink = {
  readonly id: Id
  /** Undefined when an operator made it by a command. */
  readonly maker: string | undefined
  /** The one address that it is for. */
  readonly email: string | undefined
  /** The list that is joined with it. */
  readonly listId: Id | undefined
  readonly listTitle: string | undefined
  readonly uses: number
  readonly used: number
  readonly expiresAt: string
}

const link = ([id, maker, email, listId, listTitle, uses, used, expiresAt]: Fields): InvitationLink => ({
  id: id as Id,
  maker: maker ?? undefined,
  email: email ?? undefined,
  listId: listId ?? undefined,
  listTitle: listTitle ?? undefined,
  uses: Number(uses),
  used: Number(used),
  expiresAt: instantOf(expiresAt as string),
})

const IS_OPEN = "l.expires_at > now() and l.used < l.uses"

/** A list that can be joined by a link: the maker's membership opens it, as it does for other invitations. */
const opens = (list: string, maker: string) =>
  `exists (select from lists o where o.id = ${list} and o.deleted_at is null and o.list_type <> 'inbox')
   and (${maker} is null or ${memberOf(list, maker)})`

// $1 is the hash of the token, $2 what SIGN_UP says. Where sign-up is closed, links of administrators and operators alone are good. Who
// is kept out, or has left the list, invites nobody any more.
const IS_GOOD = `l.token_hash = $1 and ${IS_OPEN}
  and not exists (select from disabled_users d where d.user_id = l.maker_id)
  and ($2::text <> 'closed' or l.maker_id is null or exists (select from administrators a where a.user_id = l.maker_id))
  and (l.list_id is null or (${opens("l.list_id", "l.maker_id")}))`

/** Whether a link is good: $1 the hash of its token, $2 what SIGN_UP says, $3 an address, if it is known by now. */
export const isGoodInvitation = statement(
  "is_good_invitation",
  `select 1 from invitation_links l where ${IS_GOOD} and ($3::text is null or l.email is null or l.email = $3)`,
  () => true,
)

/** Uses a link up once, as `isGoodInvitation`, for one of any number of requests. Gives the list, and who invites there. */
export const takeInvitation = statement(
  "take_invitation",
  `update invitation_links l set used = used + 1 where ${IS_GOOD} and (l.email is null or l.email = $3)
   returning l.list_id, coalesce(l.maker_id, (select o.owner_id from lists o where o.id = l.list_id))`,
  ([listId, inviterId]) => ({ listId: listId ?? undefined, inviterId: inviterId ?? undefined }),
)

/** Makes a link: $1 the hash of its token, $2 its maker, $3 the address, $4 the list, $5 uses, $6 days. No row when the list is none of theirs. */
export const insertInvitationLink = statement(
  "insert_invitation_link",
  `insert into invitation_links (token_hash, maker_id, email, list_id, uses, expires_at)
   select $1, $2::bigint, $3, $4::bigint, $5::integer, now() + make_interval(days => $6::integer)
   where $4::bigint is null or (${opens("$4::bigint", "$2::bigint")}) returning id`,
  ([id]) => id as Id,
)

/** How many links of a maker, $1, are open. */
export const openLinksOf = statement(
  "open_invitation_links_of_user",
  `select count(*) from invitation_links l where l.maker_id = $1::bigint and ${IS_OPEN}`,
  ([count]) => Number(count),
)

// What others' lists are called is for their members.
const SHOWN = `select l.id, maker.email, l.email, l.list_id, case when l.maker_id = $1::bigint then o.title end, l.uses, l.used, l.expires_at
  from invitation_links l left join users maker on maker.id = l.maker_id left join lists o on o.id = l.list_id`

/** The open links of a user, $1, the newest first. */
export const invitationLinksOf = statement(
  "invitation_links_of_user",
  `${SHOWN} where l.maker_id = $1::bigint and ${IS_OPEN} order by l.id desc`,
  link,
)

/** The open links that a user, $1, has not made, the newest first; $2 of them at most. */
export const otherInvitationLinks = statement(
  "other_invitation_links",
  `${SHOWN} where l.maker_id is distinct from $1::bigint and ${IS_OPEN} order by l.id desc limit $2::integer`,
  link,
)

/** Ends a link, $1: of the user $2, or of anybody when that is null. */
export const deleteInvitationLink = statement(
  "delete_invitation_link",
  "delete from invitation_links where id = $1::bigint and ($2::bigint is null or maker_id = $2::bigint) returning id",
  ([id]) => id as Id,
)

/** The lists that a user, $1, can invite to. */
export const listsToInviteTo = statement(
  "lists_to_invite_to",
  `select l.id, l.title from lists l join memberships m on m.list_id = l.id and ${membershipOf("m", "$1")}
   where l.list_type <> 'inbox' and l.deleted_at is null order by l.title, l.id limit 1000`,
  ([id, title]) => ({ id: id as Id, title: title as string }),
)

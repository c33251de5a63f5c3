import { memberOf } from "../access/access.js"
import { type Id, statement } from "../statement.js"

/**
 * A link that is good: $1 the hash of its token, $2 what SIGN_UP says, $3 an address, if it is known by now. Gives the list that it
 * joins, and who invites there. Where sign-up is closed, links of administrators and operators alone are good. Who is kept out, or
 * has left the list, invites nobody any more. SQL, as access/ says in it who is a member.
 */
export const goodInvitation = statement(
  "good_invitation",
  `select l.id, l.uses, l.list_id, coalesce(l.maker_id, o.owner_id) from invitation_links l left join lists o on o.id = l.list_id
   where l.token_hash = $1 and l.expires_at > now() and l.used < l.uses and ($3::text is null or l.email is null or l.email = $3)
   and not exists (select from disabled_users d where d.user_id = l.maker_id)
   and ($2::text <> 'closed' or l.maker_id is null or exists (select from administrators a where a.user_id = l.maker_id))
   and (l.list_id is null or (o.deleted_at is null and o.list_type <> 'inbox' and (l.maker_id is null or ${memberOf("l.list_id", "l.maker_id")})))`,
  ([id, uses, listId, inviterId]) => ({
    id: id as Id,
    uses: Number(uses),
    listId: listId ?? undefined,
    inviterId: inviterId ?? undefined,
  }),
)

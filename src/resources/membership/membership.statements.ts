import { accepted, invitedTo, memberOf, ownerOf } from "../../access/access.js"
import { atRevision, precondition } from "../../access/revision.js"
import { type Fields, type Id, statement } from "../../statement.js"
import { type Membership, memberships } from "./membership.type.js"

// $1 is what is asked for, $2 the viewer.

/** To others an invitee who was invited by address is shown under an id that does not tell whether that was somebody's. */
export const MEMBERSHIP = memberships
  .columns("j")
  .replace(
    'j."user_id"',
    "case when j.state = 'pending' and j.user_id <> $2::bigint then coalesce(j.shown_user_id, j.user_id) else j.user_id end",
  )
const OWN_MEMBERSHIP = memberships.columns("j")
const membership = (fields: Fields): Membership => memberships.read(fields) as Membership

/** One membership of a list that the viewer has or is invited to. */
export const membershipById = statement(
  "membership_by_id",
  `select ${MEMBERSHIP} from memberships j where j.id = $1::bigint and ${invitedTo("j.list_id", "$2")}`,
  membership,
)

/** Every membership of a user, invitations included, by id: $1 is the user. */
export const membershipsOfUser = statement(
  "memberships_of_user",
  `select ${OWN_MEMBERSHIP} from memberships j where j.user_id = $1::bigint order by j.id`,
  membership,
)

/** A list's memberships by id; none when the viewer may not see the list, for it always has its owner's. */
export const membershipsOfList = statement(
  "memberships_of_list",
  `select ${MEMBERSHIP} from memberships j where j.list_id = $1::bigint and ${invitedTo("j.list_id", "$2")} order by j.id`,
  membership,
)

/** The memberships of many lists, by list and id. */
export const membershipsOfLists = statement(
  "memberships_of_lists",
  `select ${MEMBERSHIP} from memberships j where j.list_id = any($1::bigint[]) and ${invitedTo("j.list_id", "$2")} order by j.list_id, j.id`,
  membership,
)

/** The addresses of the invitations among these that the viewer sent, and that are not accepted yet. */
export const addressesOfInvitations = statement(
  "addresses_of_invitations",
  `select a.membership_id, a.email from invited_addresses a join memberships j on j.id = a.membership_id
   where j.id = any($1::bigint[]) and j.created_by_id = $2::bigint and not ${accepted("j")}`,
  ([id, email]) => ({ id: id as Id, email: email as string }),
)

/**
 * Invites a person to a list, or returns their membership when there is one: $1 list, $2 viewer, $3 request, $4 user or $5 address,
 * $6 muted. Until one is accepted, an invitation by address and one by number are two, or the second would tell whose the
 * address is. An inbox has its owner alone, who may ask for that membership. An address that nobody has gets a placeholder user;
 * for one that somebody has, the numbers are used up that a placeholder takes, so that what is made next does not tell. No row
 * when the viewer may not invite, there is no such user, or somebody else has just made the user or the membership: then it is
 * found when this runs again.
 */
export const insertMembership = statement(
  "insert_membership",
  `with open_list as materialized (
     select l.id from lists l where l.id = $1::bigint and ${memberOf("l.id", "$2")}
       and (l.list_type <> 'inbox' or exists (select from users u where u.id = $2::bigint and (u.id = $4::bigint or u.email = $5)))),
   placeholder as (
     insert into users (name, email) select split_part($5, '@', 1), $5 from open_list
     where $5::text is not null and not exists (select from users where email = $5) on conflict (email) do nothing returning id),
   person as materialized (
     select id from placeholder
     union all select u.id from users u, open_list where (u.id = $4::bigint and u.verified_at is not null) or u.email = $5),
   newly_shown as (
     insert into invitees (user_id, shown_id)
     select person.id, coalesce(placeholder.id, nextval('users_id_seq')) from person left join placeholder on true
     where $5::text is not null and not exists (select from invitees i where i.user_id = person.id)
     on conflict (user_id) do nothing returning user_id, shown_id),
   shown as materialized (
     select shown_id from newly_shown union all select i.shown_id from invitees i, person where i.user_id = person.id and $5::text is not null),
   existing as materialized (
     select j.* from memberships j, open_list, person
     where j.list_id = open_list.id and j.user_id = person.id and (${accepted("j")} or j.by_address = ($5::text is not null))),
   made as (
     insert into memberships as j (list_id, user_id, shown_user_id, by_address, muted, created_by_id, updated_by_id, updated_by_request_id)
     select open_list.id, person.id, (select shown_id from shown), $5::text is not null, coalesce($6::boolean, false), $2::bigint, $2::bigint, $3 from open_list, person
     where not exists (select from existing) and ($5::text is null or exists (select from shown))
     on conflict (list_id, user_id, by_address) do nothing returning j.*),
   sent_to as (insert into invited_addresses (membership_id, email) select made.id, $5 from made where $5::text is not null),
   used_up as materialized (
     select nextval('lists_id_seq'), nextval('memberships_id_seq'), nextval('events_id_seq') from newly_shown
     where not exists (select from placeholder) and (select count(*) from made) >= 0)
   select ${MEMBERSHIP} from (select * from made union all select * from existing) j where (select count(*) from used_up) >= 0
   order by j.state limit 1`,
  membership,
)

/** Whether the viewer may invite to a list that they see. */
export const listToShare = statement(
  "list_to_share",
  `select (l.list_type = 'inbox')::text, (${memberOf("l.id", "$2")})::text from lists l where l.id = $1::bigint and ${invitedTo("l.id", "$2")}`,
  ([isInbox, isMember]) => ({ isInbox: isInbox === "true", isMember: isMember === "true" }),
)

/** Whether there is such a user; a person who has only been invited is none yet. */
export const userExists = statement(
  "user_exists",
  "select 1 from users where id = $1::bigint and verified_at is not null",
  () => true,
)

/**
 * Changes the viewer's own membership within its revision window: $1 membership, $2 viewer, $3 revision, $4 request, $5 whether
 * it accepts, $6 muted. No row either when it would accept what is accepted and change nothing else. Who was invited by number
 * and by address and accepts one has accepted the other, which ends.
 */
export const patchMembership = statement(
  "patch_membership",
  `with invitations as materialized (
     select j.* from memberships j join memberships asked on asked.list_id = j.list_id and asked.user_id = j.user_id
     where asked.id = $1::bigint and asked.user_id = $2::bigint order by j.id for update of j),
   ended as (
     delete from memberships j using invitations asked, invitations other, (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true)) actor
     where $5::boolean and asked.id = $1::bigint and asked.state = 'pending' and ${atRevision("asked", "$3")}
       and other.id <> asked.id and other.state = 'pending' and j.id = other.id returning 1),
   forgotten as (
     delete from invited_addresses a using invitations asked
     where $5::boolean and asked.id = $1::bigint and ${atRevision("asked", "$3")} and a.membership_id = asked.id)
   update memberships j set state = case when $5::boolean then 'accepted' else j.state end, muted = coalesce($6::boolean, j.muted),
     updated_by_id = $2::bigint, updated_by_request_id = $4
   where j.id = $1::bigint and j.user_id = $2::bigint and ${atRevision("j", "$3")} and (select count(*) from ended) >= 0
     and (not $5::boolean or j.state = 'pending' or $6::boolean <> j.muted)
     and not exists (select from invitations i where i.id <> j.id and ${accepted("i")}) returning ${MEMBERSHIP}`,
  membership,
)

const removable = `(not j.owner and (j.user_id = $2::bigint or ${ownerOf("j.list_id", "$2")}))`

/**
 * Ends a membership: $1 membership, $2 viewer, $3 revision, $4 request. What goes with it is locked first and lowest first, as
 * everywhere: the tasks assigned to the user there, which lose their assignee, and their webhooks. Nothing changes when it stays.
 */
export const deleteMembershipRow = statement(
  "delete_membership",
  `with t as materialized (
     select t.id from memberships j join tasks t on t.list_id = j.list_id and t.assignee_id = j.user_id and t.assignee_id is not null
     where j.id = $1::bigint and ${removable} order by t.id for update of t),
   w as materialized (select id from webhooks where membership_id = $1::bigint and (select count(*) from t) >= 0 order by id for update),
   gone as materialized (
     select j.id, j.user_id from memberships j
     where j.id = $1::bigint and ${atRevision("j", "$3")} and ${removable} and (select count(*) from w) >= 0 for update),
   freed as (
     update tasks set assignee_id = null, updated_by_id = $2::bigint, updated_by_request_id = $4
     from t, gone where tasks.id = t.id and tasks.assignee_id = gone.user_id returning 1)
   delete from memberships j using gone, (select set_config('tandem.actor_id', $2::bigint::text, true), set_config('tandem.request_id', $4, true), (select count(*) from freed)) actor
   where j.id = gone.id returning j.id`,
  ([id]) => id as Id,
)

/** How a membership stands to somebody who would accept or mute it. */
export const membershipPrecondition = precondition(
  "membership",
  "memberships j",
  "j",
  invitedTo("j.list_id", "$2"),
  "j.user_id = $2::bigint",
)
/** How a membership stands to somebody who would end it. */
export const membershipPreconditionToDelete = precondition(
  "membership_to_delete",
  "memberships j",
  "j",
  invitedTo("j.list_id", "$2"),
  removable,
)

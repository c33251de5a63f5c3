import type { Id } from "../statement.js"

// Who may see or change what, as conditions of a statement: what you may not see does not exist.
// `user` is the place of the viewer's id among the statement's values, such as "$2". The rows inside of a
// condition have names that no statement uses, or they would be taken for the statement's own.

/** Whether a row of memberships is that of a member, and not of somebody who is only invited. */
export const accepted = (membership: string): string => `${membership}.state = 'accepted'`

/** Whether a row of memberships makes the viewer a member of its list. */
export const membershipOf = (membership: string, user: string): string =>
  `${membership}.user_id = ${user}::bigint and ${accepted(membership)}`

/** An accepted member of the list: may see and change everything in it, rename it, invite. */
export const memberOf = (listId: string, user: string): string =>
  `exists (select from memberships who where who.list_id = ${listId} and ${membershipOf("who", user)})`

/** A member or somebody invited: may see the list itself, its memberships and its people. */
export const invitedTo = (listId: string, user: string): string =>
  `exists (select from memberships who where who.list_id = ${listId} and who.user_id = ${user}::bigint)`

/** The list's owner: may delete it and remove others. */
export const ownerOf = (listId: string, user: string): string =>
  `exists (select from memberships who where who.list_id = ${listId} and who.user_id = ${user}::bigint and who.owner)`

/** What makes a user a member, and a list open to them, as Prisma's conditions. */
export const acceptedBy = (userId: Id) => ({ userId: BigInt(userId), state: "accepted" })
export const listOpenTo = (userId: Id) => ({ memberships: { some: acceptedBy(userId) } })

/** A task of a list that is open to the viewer. */
export const taskOpenTo = (taskId: string, user: string): string =>
  `exists (select from tasks within join memberships who on who.list_id = within.list_id where within.id = ${taskId} and ${membershipOf("who", user)})`

/** The viewer, and people who have accepted a list that the viewer has or is invited to. People who are only invited are not
 *  known by it: otherwise an invitation by number would reveal anybody's name and address. */
export const knownTo = (userId: string, user: string): string =>
  `(${userId} = ${user}::bigint or exists (select from memberships theirs join memberships mine on mine.list_id = theirs.list_id
    where theirs.user_id = ${userId} and ${accepted("theirs")} and mine.user_id = ${user}::bigint))`

/** Who knows a user, the same the other way round: cheap where the one is given and there are few or many others. */
export const whoKnow = (userId: string, other: string): string =>
  `${other} in (select ${userId} union all select mine.user_id from memberships theirs join memberships mine on mine.list_id = theirs.list_id
    where theirs.user_id = ${userId} and ${accepted("theirs")})`

/** A task of a list that the user owns. */
export const taskOwnedBy = (taskId: string, user: string): string =>
  `exists (select from tasks within join memberships who on who.list_id = within.list_id where within.id = ${taskId} and who.user_id = ${user}::bigint and who.owner)`

/** A task that nobody asks for but that has to be there: of a list that was deleted, tasks remain for a while. */
export const taskRemains = (taskId: string): string =>
  `exists (select from tasks within join lists of on of.id = within.list_id where within.id = ${taskId} and of.deleted_at is null)`

// Who may see or change what, as conditions of a statement: what you may not see does not exist.
// `user` is the place of the viewer's id among the statement's values, such as "$2".

/** An accepted member of the list: may see and change everything in it, rename it, invite. */
export const memberOf = (listId: string, user: string): string =>
  `exists (select from memberships m where m.list_id = ${listId} and m.user_id = ${user}::bigint and m.state = 'accepted')`

/** A member or somebody invited: may see the list itself, its memberships and its people. */
export const invitedTo = (listId: string, user: string): string =>
  `exists (select from memberships m where m.list_id = ${listId} and m.user_id = ${user}::bigint)`

/** The list's owner: may delete it and remove others. */
export const ownerOf = (listId: string, user: string): string =>
  `exists (select from memberships m where m.list_id = ${listId} and m.user_id = ${user}::bigint and m.owner)`

/** A task of a list that is open to the viewer. */
export const taskOpenTo = (taskId: string, user: string): string =>
  `exists (select from tasks t join memberships m on m.list_id = t.list_id where t.id = ${taskId} and m.user_id = ${user}::bigint and m.state = 'accepted')`

import type { EventPlace } from "../context.js"
import { PLACE_NOW, readPlace } from "../events/behind.js"
import type { Root } from "../resources/user/user.type.js"
import { type Id, statement } from "../statement.js"

/**
 * The root of a user: their own counter and the revisions of every list they have or are invited to, with the place where the
 * stream of all events is in that moment. $1 is the user.
 */
export const rootOfUser = statement(
  "root_of_user",
  `select u.id, u.own_counter + coalesce((select sum(l.revision) from lists l where l.id in (select m.list_id from memberships m where m.user_id = $1::bigint)), 0), p.*
   from users u, (${PLACE_NOW}) p where u.id = $1::bigint`,
  ([id, revision, ...place]): Omit<Root, "cursor"> & { readonly place: EventPlace } => ({
    id: id as Id,
    revision: Number(revision),
    userId: id as Id,
    place: readPlace(place),
  }),
)

import type { GraphQLResolveInfo } from "graphql"
import { Arg, Ctx, Extensions, FieldResolver, Info, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenOf, found, rowsById } from "../../loading/loader.js"
import { withLevels } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Membership } from "../membership/membership.type.js"
import { Task } from "../task/task.type.js"
import { User } from "../user/user.type.js"
import { Webhook } from "../webhook/webhook.type.js"
import { createList, deleteList, mayWriteList, updateList } from "./list.commands.js"
import { CreateListInput, UpdateListInput } from "./list.input.js"
import { listById, listsByIds, listsOfUser, listsOfUsers, revisionsOfLists } from "./list.statements.js"
import { List, ListRevision } from "./list.type.js"

const listOf = rowsById(listsByIds)
const listsIn = childrenOf(listsOfUsers, ({ userId }) => userId)

/** Lists: read, make, change, delete. (§4, lists) */
@Resolver(() => List)
export class ListResolver {
  @Needs("read")
  @Query(() => List, { description: "Get a list." })
  async list(
    @Arg("id", () => ID, { description: "The list's identifier." }) id: Id,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<List> {
    return found(await withLevels(context, info, id, (run) => run(listById, [id, context.viewer.userId])))
  }

  @Needs("read")
  @Query(() => [List], {
    description: "List lists. Those that the viewer is a member of or invited to, by id ascending.",
  })
  lists(@Ctx() { db, viewer }: Context): Promise<List[]> {
    return db.run(listsOfUser, [viewer.userId])
  }

  @Needs("read")
  @Query(() => [ListRevision], { description: "List list revisions. Those of the viewer's lists, by id ascending." })
  listRevisions(@Ctx() { db, viewer }: Context): Promise<ListRevision[]> {
    return db.run(revisionsOfLists, [viewer.userId])
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => List, { description: "Create a list. The viewer owns it." })
  createList(
    @Arg("input", () => CreateListInput, { description: "Its fields." }) input: CreateListInput,
    @Ctx() context: Context,
  ): Promise<List> {
    return createList(context, input)
  }

  @Needs("write")
  @Mutation(() => List, { description: "Update a list. Requires its current revision." })
  @Extensions(toUpdate(mayWriteList))
  updateList(
    @Arg("id", () => ID, { description: "The list's identifier." }) id: Id,
    @Arg("input", () => UpdateListInput, { description: "The fields to change." }) input: UpdateListInput,
    @Ctx() context: Context,
  ): Promise<List> {
    return updateList(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a list. Everything in it goes too. Only its owner can." })
  deleteList(
    @Arg("id", () => ID, { description: "The list's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The list's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteList(context, id, revision)
  }
}

/** The list that a membership joins somebody to. */
@Resolver(() => Membership)
export class ListOfMembership {
  @FieldResolver(() => List, { description: "The list." })
  async list(@Root() { listId }: Membership, @Ctx() context: Context): Promise<List> {
    return found([await listOf(context, listId)])
  }
}

/** The list that a webhook tells of. */
@Resolver(() => Webhook)
export class ListOfWebhook {
  @FieldResolver(() => List, { nullable: true, description: "The list; null for one of its maker's account." })
  async list(@Root() { listId }: Webhook, @Ctx() context: Context): Promise<List | null> {
    return listId === null ? null : found([await listOf(context, listId)])
  }
}

/** The lists of a user. */
@Resolver(() => User)
export class ListsOfUser {
  @FieldResolver(() => [List], {
    description: "Those of the user's lists that the viewer has or is invited to, by id ascending.",
  })
  async lists(@Root() { id }: User, @Ctx() context: Context): Promise<List[]> {
    return (await listsIn(context, id)).map(({ list }) => list)
  }
}

/** The list that holds a task. */
@Resolver(() => Task)
export class ListOfTask {
  @FieldResolver(() => List, { description: "The list that it belongs to." })
  async list(@Root() { listId }: Task, @Ctx() context: Context): Promise<List> {
    return found([await listOf(context, listId)])
  }
}

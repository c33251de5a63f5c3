import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate, toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenIn, mayAddToTask, ParentArgs } from "../../loading/children.js"
import { type Connection, connect, PageArgs, pageOf } from "../../loading/connection.js"
import { inEffectiveOrder } from "../../loading/effective-order.js"
import { InstantRange, refuseReversed } from "../../loading/instant-range.js"
import { childrenOf, found, rowsById } from "../../loading/loader.js"
import { groupedBy, readAhead } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Task } from "../task/task.type.js"
import { createSubtask, deleteSubtask, mayWriteSubtask, updateSubtask } from "./subtask.commands.js"
import { CreateSubtaskInput, UpdateSubtaskInput } from "./subtask.input.js"
import { ordersInList, ordersOfTasks, pageOfSubtasks, subtaskReads } from "./subtask.statements.js"
import { Subtask, SubtaskConnection } from "./subtask.type.js"

const subtasksOf = childrenOf(subtaskReads.ofTasks, (subtask) => subtask.taskId)
const orderOf = rowsById(ordersOfTasks)
const subtasksAhead = readAhead(async (run, listId, viewerId) => {
  const [rows, orders] = await Promise.all([
    run(subtaskReads.ofList, [listId, viewerId, false, null, null, null]),
    run(ordersInList, [listId, viewerId]),
  ])
  const subtasksOf = groupedBy(rows, ({ taskId }) => taskId)
  const valuesOf = new Map(orders.map(({ id, values }) => [id, values]))
  return (task: Task) => inEffectiveOrder(subtasksOf(task), valuesOf.get(task.id))
})

/** Subtasks: read, make, change, delete. (§4 Subtasks) */
@Resolver(() => Subtask)
export class SubtaskResolver {
  @Needs("read")
  @Query(() => Subtask, { description: "Get a subtask." })
  async subtask(
    @Arg("id", () => ID, { description: "The subtask's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Subtask> {
    return found(await db.run(subtaskReads.byId, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Subtask], { description: "List subtasks. Of a task, or of all tasks of a list, by id ascending." })
  async subtasks(
    @Args(() => ParentArgs) parent: ParentArgs,
    @Arg("completed", () => Boolean, { nullable: true, description: "Only completed subtasks, or only open ones." })
    completed: boolean | null,
    @Arg("completedAt", () => InstantRange, { nullable: true, description: "When they were completed." })
    completedAt: InstantRange | null,
    @Ctx() context: Context,
  ): Promise<Subtask[]> {
    refuseReversed({ completedAt })
    return childrenIn(context, subtaskReads, parent, completed, completedAt?.from, completedAt?.to)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Subtask, { description: "Create a subtask." })
  @Extensions(toCreate(mayAddToTask))
  createSubtask(
    @Arg("input", () => CreateSubtaskInput, { description: "Its fields." }) input: CreateSubtaskInput,
    @Ctx() context: Context,
  ): Promise<Subtask> {
    return createSubtask(context, input)
  }

  @Needs("write")
  @Mutation(() => Subtask, { description: "Update a subtask. Requires its current revision." })
  @Extensions(toUpdate(mayWriteSubtask))
  updateSubtask(
    @Arg("id", () => ID, { description: "The subtask's identifier." }) id: Id,
    @Arg("input", () => UpdateSubtaskInput, { description: "The fields to change." }) input: UpdateSubtaskInput,
    @Ctx() context: Context,
  ): Promise<Subtask> {
    return updateSubtask(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a subtask. Requires its current revision." })
  deleteSubtask(
    @Arg("id", () => ID, { description: "The subtask's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The subtask's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteSubtask(context, id, revision)
  }
}

/** What a task knows of its subtasks. */
@Resolver(() => Task)
export class SubtasksOfTask {
  @Extensions(subtasksAhead)
  @FieldResolver(() => [Subtask], { description: "The task's subtasks in their effective order." })
  async subtasks(
    @Arg("completed", () => Boolean, { nullable: true, description: "Only completed subtasks, or only open ones." })
    completed: boolean | null,
    @Root() { id }: Task,
    @Ctx() context: Context,
  ): Promise<Subtask[]> {
    const [all, order] = await Promise.all([subtasksOf(context, id), orderOf(context, id)])
    const wanted = completed == null ? all : all.filter((subtask) => subtask.completed === completed)
    return inEffectiveOrder(wanted, order?.values)
  }

  @FieldResolver(() => SubtaskConnection, { description: "The task's subtasks page by page, by id ascending." })
  async subtaskConnection(
    @Args(() => PageArgs) page: PageArgs,
    @Root() { id }: Task,
    @Ctx() { db, viewer }: Context,
  ): Promise<Connection<Subtask>> {
    const { behind, limit } = pageOf(page)
    return connect(await db.run(pageOfSubtasks, [id, viewer.userId, behind, limit]), page)
  }
}

import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { MissingParameter } from "../../errors.js"
import { inEffectiveOrder } from "../../loading/effective-order.js"
import { found, inVisible, rowsById } from "../../loading/loader.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import { Task } from "../task/task.type.js"
import { updatePosition } from "./position.commands.js"
import { UpdatePositionInput } from "./position.input.js"
import {
  listKind,
  listPositionById,
  orderedIds,
  subtaskKind,
  subtaskPositionById,
  subtaskPositionsOfList,
  subtaskPositionsOfTasks,
  taskKind,
  taskPositionById,
  taskPositionsOfLists,
} from "./position.statements.js"
import { ListPosition, SubtaskPosition, TaskPosition } from "./position.type.js"

const positionOfTasks = rowsById(taskPositionsOfLists)
const positionOfSubtasks = rowsById(subtaskPositionsOfTasks)
const ORDER = "The ids of all that exists in its effective order: as in `values`, then what is not named there, by id."

/** §4 Positions. */
@Resolver(() => ListPosition)
export class ListPositionResolver {
  @Needs("read")
  @Query(() => ListPosition, {
    description: "Get a list position: the order of the viewer's lists. `id` is the viewer's.",
  })
  async listPosition(
    @Arg("id", () => ID, { description: "The viewer's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<ListPosition> {
    return found(await db.run(listPositionById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [ListPosition], {
    description: "List list positions. There is exactly one: the order of the viewer's lists.",
  })
  listPositions(@Ctx() { db, viewer }: Context): Promise<ListPosition[]> {
    return db.run(listPositionById, [viewer.userId, viewer.userId])
  }

  @Needs("write")
  @Mutation(() => ListPosition, {
    description: "Update a list position. Reorders the viewer's lists. Requires the position's current revision.",
  })
  updateListPosition(
    @Arg("id", () => ID, { description: "The viewer's identifier." }) id: Id,
    @Arg("input", () => UpdatePositionInput, { description: "The new order." }) input: UpdatePositionInput,
    @Ctx() context: Context,
  ): Promise<ListPosition> {
    return updatePosition(context, listKind, id, input)
  }

  // The specification shows it in the answer to an update.
  @FieldResolver(() => ID, { description: "The same as `id`." })
  listId(@Root() { id }: ListPosition): Id {
    return id
  }

  @FieldResolver(() => [ID], { description: ORDER })
  async order(@Root() { id, values }: ListPosition, @Ctx() { db }: Context): Promise<Id[]> {
    return inEffectiveOrder(await db.run(orderedIds.list, [id]), values).map((list) => list.id)
  }
}

/** The order of a list's tasks. (§4 Positions) */
@Resolver(() => TaskPosition)
export class TaskPositionResolver {
  @Needs("read")
  @Query(() => TaskPosition, { description: "Get a task position: the order of a list's tasks. `id` is the list's." })
  async taskPosition(
    @Arg("id", () => ID, { description: "The list's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<TaskPosition> {
    return found(await db.run(taskPositionById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [TaskPosition], {
    description: "List task positions. There is exactly one per list: the order of its tasks.",
  })
  async taskPositions(
    @Arg("listId", () => ID, { description: "The list's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<TaskPosition[]> {
    return [found(await db.run(taskPositionById, [id, viewer.userId]))]
  }

  @Needs("write")
  @Mutation(() => TaskPosition, {
    description: "Update a task position. Reorders a list's tasks. Requires the position's current revision.",
  })
  updateTaskPosition(
    @Arg("id", () => ID, { description: "The list's identifier." }) id: Id,
    @Arg("input", () => UpdatePositionInput, { description: "The new order." }) input: UpdatePositionInput,
    @Ctx() context: Context,
  ): Promise<TaskPosition> {
    return updatePosition(context, taskKind, id, input)
  }

  @FieldResolver(() => [ID], { description: ORDER })
  async order(@Root() { id, values }: TaskPosition, @Ctx() { db }: Context): Promise<Id[]> {
    return inEffectiveOrder(await db.run(orderedIds.task, [id]), values).map((task) => task.id)
  }
}

/** The order of a task's subtasks. (§4 Positions) */
@Resolver(() => SubtaskPosition)
export class SubtaskPositionResolver {
  @Needs("read")
  @Query(() => SubtaskPosition, {
    description: "Get a subtask position: the order of a task's subtasks. `id` is the task's.",
  })
  async subtaskPosition(
    @Arg("id", () => ID, { description: "The task's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<SubtaskPosition> {
    return found(await db.run(subtaskPositionById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [SubtaskPosition], {
    description:
      "List subtask positions. The order of a task's subtasks, or one for each task of a list, in the order of the tasks.",
  })
  async subtaskPositions(
    @Arg("taskId", () => ID, { nullable: true, description: "The task's identifier; required unless listId is given." })
    taskId: Id | undefined,
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier; required unless taskId is given." })
    listId: Id | undefined,
    @Ctx() { db, viewer }: Context,
  ): Promise<SubtaskPosition[]> {
    if (taskId != null) return [found(await db.run(subtaskPositionById, [taskId, viewer.userId]))]
    if (listId == null) throw new MissingParameter({ taskId: ["required, or listId"], listId: ["required, or taskId"] })
    const [positions, [order]] = await Promise.all([
      db.run(subtaskPositionsOfList, [listId, viewer.userId]),
      db.run(taskPositionById, [listId, viewer.userId]),
    ])
    return inEffectiveOrder(inVisible(positions), order?.values)
  }

  @Needs("write")
  @Mutation(() => SubtaskPosition, {
    description: "Update a subtask position. Reorders a task's subtasks. Requires the position's current revision.",
  })
  updateSubtaskPosition(
    @Arg("id", () => ID, { description: "The task's identifier." }) id: Id,
    @Arg("input", () => UpdatePositionInput, { description: "The new order." }) input: UpdatePositionInput,
    @Ctx() context: Context,
  ): Promise<SubtaskPosition> {
    return updatePosition(context, subtaskKind, id, input)
  }

  @FieldResolver(() => [ID], { description: ORDER })
  async order(@Root() { id, values }: SubtaskPosition, @Ctx() { db }: Context): Promise<Id[]> {
    return inEffectiveOrder(await db.run(orderedIds.subtask, [id]), values).map((subtask) => subtask.id)
  }
}

/** The order of a list's tasks, beside the list. */
@Resolver(() => List)
export class PositionOfList {
  @FieldResolver(() => TaskPosition, { description: "The order of its tasks." })
  async taskPosition(@Root() { id }: List, @Ctx() context: Context): Promise<TaskPosition> {
    return found([await positionOfTasks(context, id)])
  }
}

/** The order of a task's subtasks, beside the task. */
@Resolver(() => Task)
export class PositionOfTask {
  @FieldResolver(() => SubtaskPosition, { description: "The order of its subtasks." })
  async subtaskPosition(@Root() { id }: Task, @Ctx() context: Context): Promise<SubtaskPosition> {
    return found([await positionOfSubtasks(context, id)])
  }
}

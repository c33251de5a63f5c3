import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate, toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { type Connection, connect, PageArgs, pageOf } from "../../loading/connection.js"
import { inEffectiveOrder } from "../../loading/effective-order.js"
import { childrenOf, found, inVisible, rowsById } from "../../loading/loader.js"
import { readAhead } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { List } from "../list/list.type.js"
import { createTask, deleteTask, mayCreateTask, mayWriteTask, updateTask } from "./task.commands.js"
import { CreateTaskInput, UpdateTaskInput } from "./task.input.js"
import {
  completedTasksOfLists,
  countTasks,
  countTasksOfLists,
  openTasksOfLists,
  ordersOfLists,
  pageOfTasks,
  revisionsOfTasks,
  taskById,
  tasksOfList,
} from "./task.statements.js"
import { Task, TaskConnection, TaskRevision, TasksCount } from "./task.type.js"
import { tasksIn } from "./task-list.commands.js"
import { ListTasksArgs } from "./task-list.input.js"

const openTasks = childrenOf(openTasksOfLists, (task) => task.listId)
const completedTasks = childrenOf(completedTasksOfLists, (task) => task.listId)
const orderOf = rowsById(ordersOfLists)
const countsIn = rowsById(countTasksOfLists)

const openTasksAhead = readAhead(async (run, listId, viewerId) => {
  const [rows, [order]] = await Promise.all([
    run(tasksOfList, [listId, viewerId, false]),
    run(ordersOfLists, [[listId], viewerId]),
  ])
  return () => (rows[0] == null ? [] : inEffectiveOrder(rows as Task[], order?.values))
})

/** Tasks: read, make, change, delete. (§4 Tasks) */
@Resolver(() => Task)
export class TaskResolver {
  @Needs("read")
  @Query(() => Task, { description: "Get a task." })
  async task(
    @Arg("id", () => ID, { description: "The task's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Task> {
    return found(await db.run(taskById, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Task], {
    description:
      "List tasks. A list's open or completed tasks, by id ascending, or those that were completed within a stretch of time.",
  })
  tasks(@Args(() => ListTasksArgs) args: ListTasksArgs, @Ctx() context: Context): Promise<Task[]> {
    return tasksIn(context, args)
  }

  @Needs("read")
  @Query(() => TasksCount, {
    description: "Count tasks. How many tasks of a list are completed, and how many are not.",
  })
  async tasksCount(
    @Arg("listId", () => ID, { description: "The list's identifier." }) listId: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<TasksCount> {
    return found(await db.run(countTasks, [listId, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [TaskRevision], {
    description: "List task revisions. A list's tasks, open and completed, by id ascending.",
  })
  async taskRevisions(
    @Arg("listId", () => ID, { description: "The list's identifier." }) listId: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<TaskRevision[]> {
    return inVisible(await db.run(revisionsOfTasks, [listId, viewer.userId]))
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Task, { description: "Create a task." })
  @Extensions(toCreate(mayCreateTask))
  createTask(
    @Arg("input", () => CreateTaskInput, { description: "Its fields." }) input: CreateTaskInput,
    @Ctx() context: Context,
  ): Promise<Task> {
    return createTask(context, input)
  }

  @Needs("write")
  @Mutation(() => Task, {
    description: "Update a task. With `listId`, moves it to another list. Requires its current revision.",
  })
  @Extensions(toUpdate(mayWriteTask))
  updateTask(
    @Arg("id", () => ID, { description: "The task's identifier." }) id: Id,
    @Arg("input", () => UpdateTaskInput, { description: "The fields to change." }) input: UpdateTaskInput,
    @Ctx() context: Context,
  ): Promise<Task> {
    return updateTask(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a task. Everything in it goes too. Requires its current revision." })
  deleteTask(
    @Arg("id", () => ID, { description: "The task's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The task's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteTask(context, id, revision)
  }
}

/** What a list knows of its tasks. */
@Resolver(() => List)
export class TasksOfList {
  @Extensions(openTasksAhead)
  @FieldResolver(() => [Task], {
    description: "The list's open or completed tasks, in their effective order.",
  })
  async tasks(
    @Arg("completed", () => Boolean, { defaultValue: false, description: "Whether to return the completed tasks." })
    completed: boolean,
    @Root() { id }: List,
    @Ctx() context: Context,
  ): Promise<Task[]> {
    const [rows, order] = await Promise.all([
      (completed ? completedTasks : openTasks)(context, id),
      orderOf(context, id),
    ])
    return inEffectiveOrder(rows, order?.values)
  }

  @FieldResolver(() => TaskConnection, { description: "The list's tasks page by page, by id ascending." })
  async taskConnection(
    @Args(() => PageArgs) page: PageArgs,
    @Arg("completed", () => Boolean, { defaultValue: false, description: "Whether to return the completed tasks." })
    completed: boolean,
    @Root() { id }: List,
    @Ctx() { db, viewer }: Context,
  ): Promise<Connection<Task>> {
    const { behind, limit } = pageOf(page)
    return connect(await db.run(pageOfTasks, [id, viewer.userId, behind, limit, completed]), page)
  }

  @FieldResolver(() => TasksCount, { description: "How many of the list's tasks are completed, and how many are not." })
  async tasksCount(@Root() { id }: List, @Ctx() context: Context): Promise<TasksCount> {
    // To people who are only invited a list looks empty, here as in `tasks`.
    return (await countsIn(context, id)) ?? { id, completedCount: 0, uncompletedCount: 0 }
  }
}

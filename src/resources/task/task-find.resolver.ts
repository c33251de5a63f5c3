import { Args, Ctx, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import type { Connection } from "../../loading/connection.js"
import { type Task, TaskConnection } from "./task.type.js"
import { findTasksOfViewer } from "./task-find.commands.js"
import { FindTasksArgs } from "./task-find.input.js"

/** Tasks of all lists at once. */
@Resolver()
export class TaskFindResolver {
  @Needs("read")
  @Query(() => TaskConnection, {
    description: "Find tasks. In all lists of the viewer, by what they are like and by a text, page by page.",
  })
  findTasks(@Args(() => FindTasksArgs) args: FindTasksArgs, @Ctx() context: Context): Promise<Connection<Task>> {
    return findTasksOfViewer(context, args)
  }
}

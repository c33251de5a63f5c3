import { Ctx, FieldResolver, Resolver, Root } from "type-graphql"
import type { Context } from "../../context.js"
import { found, rowsById } from "../../loading/loader.js"
import { File } from "../file/file.type.js"
import { Note } from "../note/note.type.js"
import { Reminder } from "../reminder/reminder.type.js"
import { Subtask } from "../subtask/subtask.type.js"
import { TaskComment } from "../task-comment/task-comment.type.js"
import { tasksByIds } from "./task.statements.js"
import { Task } from "./task.type.js"

const taskOf = rowsById(tasksByIds)

/** The task that holds a subtask. */
@Resolver(() => Subtask)
export class TaskOfSubtask {
  @FieldResolver(() => Task, { description: "The task that it belongs to." })
  async task(@Root() { taskId }: Subtask, @Ctx() context: Context): Promise<Task> {
    return found([await taskOf(context, taskId)])
  }
}

/** The task that holds a note. */
@Resolver(() => Note)
export class TaskOfNote {
  @FieldResolver(() => Task, { description: "The task that it belongs to." })
  async task(@Root() { taskId }: Note, @Ctx() context: Context): Promise<Task> {
    return found([await taskOf(context, taskId)])
  }
}

/** The task that a reminder tells of. */
@Resolver(() => Reminder)
export class TaskOfReminder {
  @FieldResolver(() => Task, { description: "The task to be reminded of." })
  async task(@Root() { taskId }: Reminder, @Ctx() context: Context): Promise<Task> {
    return found([await taskOf(context, taskId)])
  }
}

/** The task that a comment is about. */
@Resolver(() => TaskComment)
export class TaskOfComment {
  @FieldResolver(() => Task, { description: "The task that it is about." })
  async task(@Root() { taskId }: TaskComment, @Ctx() context: Context): Promise<Task> {
    return found([await taskOf(context, taskId)])
  }
}

/** The task that holds a file. */
@Resolver(() => File)
export class TaskOfFile {
  @FieldResolver(() => Task, { description: "The task that it belongs to." })
  async task(@Root() { taskId }: File, @Ctx() context: Context): Promise<Task> {
    return found([await taskOf(context, taskId)])
  }
}

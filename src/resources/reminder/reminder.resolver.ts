import { Arg, Args, Ctx, Extensions, FieldResolver, Int, Mutation, Query, Resolver, Root } from "type-graphql"
import { Needs } from "../../access/needs.js"
import { toCreate, toUpdate } from "../../access/revision.js"
import type { Context } from "../../context.js"
import { childrenIn, mayAddToTask, ParentArgs } from "../../loading/children.js"
import { childrenOf, found } from "../../loading/loader.js"
import { groupedBy, readAhead } from "../../loading/look-ahead.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { Task } from "../task/task.type.js"
import { createReminder, deleteReminder, mayWriteReminder, updateReminder } from "./reminder.commands.js"
import { CreateReminderInput, UpdateReminderInput } from "./reminder.input.js"
import { reminderReads, remindersOfUser } from "./reminder.statements.js"
import { Reminder } from "./reminder.type.js"

const remindersOf = childrenOf(reminderReads.ofTasks, (reminder) => reminder.taskId)
const remindersAhead = readAhead(async (run, listId, viewerId) =>
  groupedBy(await run(reminderReads.ofList, [listId, viewerId, false]), (reminder) => reminder.taskId),
)

/** Reminders: read, make, change, delete. (§4 Reminders) */
@Resolver(() => Reminder)
export class ReminderResolver {
  @Needs("read")
  @Query(() => Reminder, { description: "Get a reminder." })
  async reminder(
    @Arg("id", () => ID, { description: "The reminder's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<Reminder> {
    return found(await db.run(reminderReads.byId, [id, viewer.userId]))
  }

  @Needs("read")
  @Query(() => [Reminder], {
    description:
      "List reminders. The viewer's, of a task, of all tasks of a list, or of everything that they can see; by id ascending.",
  })
  reminders(
    @Args(() => ParentArgs) parent: ParentArgs,
    @Arg("all", () => Boolean, {
      defaultValue: false,
      description: "Whether to return all of them when neither taskId nor listId is given.",
    })
    all: boolean,
    @Ctx() context: Context,
  ): Promise<Reminder[]> {
    if (all && parent.taskId == null && parent.listId == null)
      return context.db.run(remindersOfUser, [context.viewer.userId])
    return childrenIn(context, reminderReads, parent)
  }

  @Extensions({ once: "inTransaction" })
  @Needs("write")
  @Mutation(() => Reminder, { description: "Create a reminder." })
  @Extensions(toCreate(mayAddToTask))
  createReminder(
    @Arg("input", () => CreateReminderInput, { description: "Its fields." }) input: CreateReminderInput,
    @Ctx() context: Context,
  ): Promise<Reminder> {
    return createReminder(context, input)
  }

  @Needs("write")
  @Mutation(() => Reminder, { description: "Update a reminder. Requires its current revision." })
  @Extensions(toUpdate(mayWriteReminder))
  updateReminder(
    @Arg("id", () => ID, { description: "The reminder's identifier." }) id: Id,
    @Arg("input", () => UpdateReminderInput, { description: "The fields to change." }) input: UpdateReminderInput,
    @Ctx() context: Context,
  ): Promise<Reminder> {
    return updateReminder(context, id, input)
  }

  @Needs("write")
  @Mutation(() => Boolean, { description: "Delete a reminder. Requires its current revision." })
  deleteReminder(
    @Arg("id", () => ID, { description: "The reminder's identifier." }) id: Id,
    @Arg("revision", () => Int, { description: "The reminder's current revision." }) revision: number,
    @Ctx() context: Context,
  ): Promise<boolean> {
    return deleteReminder(context, id, revision)
  }
}

/** The viewer's reminders of a task. */
@Resolver(() => Task)
export class RemindersOfTask {
  @Extensions(remindersAhead)
  @FieldResolver(() => [Reminder], {
    description: "The viewer's own reminders of the task, by id ascending.",
  })
  reminders(@Root() { id }: Task, @Ctx() context: Context): Promise<Reminder[]> {
    return remindersOf(context, id)
  }
}

import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { tableOf } from "../../loading/fields.js"
import { DateOnly, DateTime, ID, Title } from "../../scalars/scalars.js"
import { RecurrenceCount } from "../../scalars/task-scalars.js"
import type { Id } from "../../statement.js"

/** The period of a recurrence (§8). */
export enum RecurrenceType {
  day = "day",
  week = "week",
  month = "month",
  year = "year",
}
registerEnumType(RecurrenceType, {
  name: "RecurrenceType",
  description: "The period of a recurrence.",
  valuesConfig: {
    day: { description: "Every n days." },
    week: { description: "Every n weeks." },
    month: { description: "Every n months, on the same day, or on the last day of months that are too short." },
    year: { description: "Every n years; 29 February becomes 28 February in other years." },
  },
})

@ObjectType({ simpleResolvers: true, description: "Where the text was found that was looked for." })
export class TaskMatch {
  @Field(() => String, {
    description: "What holds it: task (its title), note, subtask, task_comment or file (its name).",
  })
  type: string

  @Field(() => ID, { description: "The identifier of that." })
  id: Id
}

/** §2 Task. */
@ObjectType({ simpleResolvers: true, description: "Something to do, in a list." })
export class Task {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The list that it belongs to." })
  listId: Id

  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => ID, { nullable: true, description: "The member whom it is assigned to." })
  assigneeId?: Id | null

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => DateOnly, { nullable: true, description: "The due date." })
  dueDate?: string | null

  @Field(() => Boolean, { description: "Whether it is starred." })
  starred: boolean

  @Field(() => Boolean, { description: "Whether it is completed." })
  completed: boolean

  @Field(() => DateTime, { nullable: true, description: "When it was completed." })
  completedAt?: string | null

  @Field(() => ID, { nullable: true, description: "The user who completed it." })
  completedById?: Id | null

  @Field(() => RecurrenceType, {
    nullable: true,
    description: "The period of its recurrence, set together with recurrenceCount.",
  })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, {
    nullable: true,
    description: "The number of periods between two occurrences, set together with recurrenceType.",
  })
  recurrenceCount?: number | null

  @Field(() => Int, { description: "Grows with each change of the task and of everything in it." })
  revision: number

  @Field(() => [TaskMatch], {
    nullable: true,
    description: "Where `findTasks` has found its text, the title first; null for what was not found by a text.",
  })
  matches?: TaskMatch[] | null

  @Field(() => String, {
    nullable: true,
    description:
      "Its place in the order in which `tasks` has given it: `after` of the page behind it. Null where no order, page or time was asked for.",
  })
  cursor?: string | null
}

/** A page of tasks. */
export const TaskConnection = connectionOf("Task", () => Task)

@ObjectType({ simpleResolvers: true, description: "How many tasks of a list are completed, and how many are not." })
export class TasksCount {
  @Field(() => ID, { description: "The list's identifier." })
  id: Id

  @Field(() => Int, { description: "The number of completed tasks." })
  completedCount: number

  @Field(() => Int, { description: "The number of open tasks." })
  uncompletedCount: number
}

/** The revision of a task: enough to find out whether to read it again. */
@ObjectType({ simpleResolvers: true, description: "The current revision of a task." })
export class TaskRevision {
  @Field(() => ID, { description: "The task's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of the task and of everything in it." })
  revision: number
}

/** A task's row as answers show it. */
export const tasks = tableOf(Task, ["matches", "cursor"])

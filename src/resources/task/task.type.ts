import { Field, Int, ObjectType, registerEnumType } from "type-graphql"
import { connectionOf } from "../../loading/connection.js"
import { DateOnly, DateTime, ID, Title } from "../../scalars/scalars.js"
import { RecurrenceCount } from "../../scalars/task-scalars.js"
import { type Id, table } from "../../statement.js"

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
    month: { description: "Every n months; a day the month does not have is clamped and comes back." },
    year: { description: "Every n years; 29 February is clamped and comes back." },
  },
})

/** Something to do, held by a list. (§2 Task) */
@ObjectType({ simpleResolvers: true, description: "Something to do, held by a list." })
export class Task {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The list that holds it." })
  listId: Id

  @Field(() => Title, { description: "What is to be done." })
  title: string

  @Field(() => ID, { nullable: true, description: "The member who is to do it." })
  assigneeId?: Id | null

  @Field(() => DateTime, { description: "When it was made." })
  createdAt: string

  @Field(() => ID, { description: "The user who made it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that made it." })
  createdByRequestId?: string | null

  @Field(() => DateOnly, { nullable: true, description: "The day by which it is to be done." })
  dueDate?: string | null

  @Field(() => Boolean, { description: "Whether it is starred." })
  starred: boolean

  @Field(() => Boolean, { description: "Whether it is done." })
  completed: boolean

  @Field(() => DateTime, { nullable: true, description: "When it was done." })
  completedAt?: string | null

  @Field(() => ID, { nullable: true, description: "The user who completed it." })
  completedById?: Id | null

  @Field(() => RecurrenceType, {
    nullable: true,
    description: "The period of its recurrence; set together with recurrenceCount.",
  })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, {
    nullable: true,
    description: "How many periods lie between two occurrences; set together with recurrenceType.",
  })
  recurrenceCount?: number | null

  @Field(() => Int, { description: "Grows with each change of the task and of everything in it." })
  revision: number
}

/** A page of tasks. */
export const TaskConnection = connectionOf("Task", () => Task)

/** How many tasks of a list are done and how many are not. */
@ObjectType({ simpleResolvers: true, description: "How many tasks of a list are done and how many are not." })
export class TasksCount {
  @Field(() => ID, { description: "The list's identifier." })
  id: Id

  @Field(() => Int, { description: "How many are done." })
  completedCount: number

  @Field(() => Int, { description: "How many are still to be done." })
  uncompletedCount: number
}

/** What revision a task is at: enough to find out whether to read it again. */
@ObjectType({ simpleResolvers: true, description: "What revision a task is at." })
export class TaskRevision {
  @Field(() => ID, { description: "The task's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of the task and of everything in it." })
  revision: number
}

/** A task's row as answers show it. */
export const tasks = table<Task>({
  id: "id",
  listId: "id",
  title: "text",
  assigneeId: "id",
  createdAt: "instant",
  createdById: "id",
  createdByRequestId: "text",
  dueDate: "date",
  starred: "boolean",
  completed: "boolean",
  completedAt: "instant",
  completedById: "id",
  recurrenceType: "text",
  recurrenceCount: "integer",
  revision: "integer",
})

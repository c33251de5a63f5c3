import { Extensions, Field, InputType, Int } from "type-graphql"
import { settablesOf } from "../../loading/fields.js"
import { DateOnly, ID, Refusal, stringScalar, Title } from "../../scalars/scalars.js"
import { RecurrenceCount } from "../../scalars/task-scalars.js"
import type { Id } from "../../statement.js"
import { RecurrenceType, Task } from "./task.type.js"

/** §4 Tasks, POST. */
@InputType({ description: "The fields of a new task." })
export class CreateTaskInput {
  @Field(() => ID, { description: "The list to add it to; the viewer must be a member." })
  listId: Id

  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => ID, { nullable: true, description: "The member whom it is assigned to." })
  assigneeId?: Id | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is completed already." })
  completed?: boolean | null

  @Field(() => RecurrenceType, {
    nullable: true,
    description: "The period of its recurrence; requires recurrenceCount.",
  })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, {
    nullable: true,
    description: "The number of periods between two occurrences; requires recurrenceType.",
  })
  recurrenceCount?: number | null

  @Field(() => DateOnly, { nullable: true, description: "The due date." })
  dueDate?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is starred." })
  starred?: boolean | null
}

/** What clients may set, in the order in which statements take it; `assigneeId` and `completed` have rules of their own there. */
export const TASK_SETTABLES = settablesOf(Task, CreateTaskInput, "listId")

type Removable = Exclude<keyof CreateTaskInput, "listId" | "title">

/** What can be removed from a task, with what is left of it: null first, then what becomes false. */
export const REMOVABLE = [null, false].flatMap((left) =>
  TASK_SETTABLES.flatMap(({ name, removed }) => (removed === left ? [{ name: name as Removable, removed }] : [])),
)
const names = REMOVABLE.map(({ name }) => name as string)

const TaskAttribute = stringScalar({
  name: "TaskAttribute",
  description: `What can be removed from a task: ${names.join(", ")}. Removing starred or completed makes it false.`,
  check: (value) => {
    if (!names.includes(value)) throw new Refusal(`must name one of ${names.join(", ")}`)
    return value
  },
})

/** §4 Tasks, PATCH. */
@InputType({
  description:
    "A change of a task. Fields that are left out stay unchanged; null removes a field, like naming it in `remove`.",
})
export class UpdateTaskInput {
  @Field(() => Int, { description: "The task's current revision." })
  revision: number

  @Field(() => ID, { nullable: true, description: "The list to move it to; the viewer must be a member of both." })
  listId?: Id | null

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "Its title; can't be removed." })
  title?: string | null

  @Field(() => ID, { nullable: true, description: "The member whom it is assigned to." })
  assigneeId?: Id | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether it is completed. Completing a recurring task creates its next occurrence.",
  })
  completed?: boolean | null

  @Field(() => RecurrenceType, { nullable: true, description: "The period of its recurrence." })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, { nullable: true, description: "The number of periods between two occurrences." })
  recurrenceCount?: number | null

  @Field(() => DateOnly, { nullable: true, description: "The due date." })
  dueDate?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is starred." })
  starred?: boolean | null

  @Field(() => [TaskAttribute], { nullable: true, description: "The fields to remove; none that is also set." })
  remove?: Removable[] | null
}

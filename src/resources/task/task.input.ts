import { Extensions, Field, InputType, Int } from "type-graphql"
import { DateOnly, ID, Title } from "../../scalars/scalars.js"
import { RecurrenceCount, TaskAttribute } from "../../scalars/task-scalars.js"
import type { Id } from "../../statement.js"
import { RecurrenceType } from "./task.type.js"

/** What a new task is made of. (§4 Tasks, POST) */
@InputType({ description: "What a new task is made of." })
export class CreateTaskInput {
  @Field(() => ID, { description: "The list that is to hold it; the viewer must be its member." })
  listId: Id

  @Field(() => Title, { description: "What is to be done." })
  title: string

  @Field(() => ID, { nullable: true, description: "The member who is to do it." })
  assigneeId?: Id | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is done already." })
  completed?: boolean | null

  @Field(() => RecurrenceType, { nullable: true, description: "The period of its recurrence; needs recurrenceCount." })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, {
    nullable: true,
    description: "How many periods lie between two occurrences; needs recurrenceType.",
  })
  recurrenceCount?: number | null

  @Field(() => DateOnly, { nullable: true, description: "The day by which it is to be done." })
  dueDate?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is starred." })
  starred?: boolean | null
}

/** A change of a task: what is left out stays; null removes like `remove`. (§4 Tasks, PATCH) */
@InputType({ description: "A change of a task. What is left out stays; null removes, as naming it in `remove` does." })
export class UpdateTaskInput {
  @Field(() => Int, { description: "The task's current revision." })
  revision: number

  @Field(() => ID, { nullable: true, description: "The list to move it to; the viewer must be a member of both." })
  listId?: Id | null

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "What is to be done; can't be removed." })
  title?: string | null

  @Field(() => ID, { nullable: true, description: "The member who is to do it." })
  assigneeId?: Id | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether it is done. Completing a recurring task makes its next occurrence.",
  })
  completed?: boolean | null

  @Field(() => RecurrenceType, { nullable: true, description: "The period of its recurrence." })
  recurrenceType?: RecurrenceType | null

  @Field(() => RecurrenceCount, { nullable: true, description: "How many periods lie between two occurrences." })
  recurrenceCount?: number | null

  @Field(() => DateOnly, { nullable: true, description: "The day by which it is to be done." })
  dueDate?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is starred." })
  starred?: boolean | null

  @Field(() => [TaskAttribute], { nullable: true, description: "What to remove; nothing that is also set here." })
  remove?: TaskAttribute[] | null
}

import { ArgsType, Field, InputType, Int } from "type-graphql"
import { InstantRange } from "../../loading/instant-range.js"
import { DateOnly, ID } from "../../scalars/scalars.js"
import { AssigneeId, Cursor, SearchText } from "../../scalars/task-scalars.js"
import type { Id } from "../../statement.js"
import { TaskOrder } from "./task-order.js"

@InputType({
  description: "When tasks are to be due. The client says which days it means: the service has no time zone.",
})
export class DueFilter {
  @Field(() => DateOnly, { nullable: true, description: "Not before this day." })
  from?: string | null

  @Field(() => DateOnly, { nullable: true, description: "Not after this day." })
  to?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether they have no date, true, or some date, false. True goes with neither of the days.",
  })
  none?: boolean | null
}

@InputType({ description: "What tasks have to be like to be found: all that is said here." })
export class TaskFilter {
  @Field(() => [ID], {
    nullable: true,
    description: "The lists to look in, at most 1,000; those that are not open to the viewer hold nothing.",
  })
  listIds?: Id[] | null

  @Field(() => Boolean, { nullable: true, description: "Only what is done, or only what is not; without it both." })
  completed?: boolean | null

  @Field(() => Boolean, { nullable: true, description: "Only what is starred, or only what is not." })
  starred?: boolean | null

  @Field(() => AssigneeId, { nullable: true, description: "Who is to do them." })
  assigneeId?: string | null

  @Field(() => DueFilter, { nullable: true, description: "When they are due." })
  due?: DueFilter | null

  @Field(() => InstantRange, { nullable: true, description: "When they were done." })
  completedAt?: InstantRange | null

  @Field(() => InstantRange, { nullable: true, description: "When they were made." })
  createdAt?: InstantRange | null

  @Field(() => SearchText, {
    nullable: true,
    description:
      "A piece of text in the title, a note, a subtask, a comment or a file's name. Upper and lower case and forms of one character are the same; no character means anything but itself.",
  })
  text?: string | null
}

/** What is looked for, and which page of it. */
@ArgsType()
export class FindTasksArgs {
  @Field(() => TaskFilter, {
    nullable: true,
    description: "What they have to be like; without it all tasks of the viewer's lists.",
  })
  filter?: TaskFilter | null

  @Field(() => TaskOrder, { defaultValue: TaskOrder.DUE_DATE_ASC, description: "Their order." })
  orderBy: TaskOrder

  @Field(() => Int, { defaultValue: 50, description: "How many tasks the page holds: 1 to 100." })
  first: number

  @Field(() => Cursor, {
    nullable: true,
    description: "A cursor of an earlier page in the same order; tasks behind it are given.",
  })
  after?: string | null
}

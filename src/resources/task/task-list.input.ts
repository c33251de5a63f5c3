import { ArgsType, Field, Int } from "type-graphql"
import { InstantRange } from "../../loading/instant-range.js"
import { ID } from "../../scalars/scalars.js"
import { Cursor } from "../../scalars/task-scalars.js"
import type { Id } from "../../statement.js"
import { TaskOrder } from "./task-order.js"

/** Which tasks of a list, and which page of them. */
@ArgsType()
export class ListTasksArgs {
  @Field(() => ID, { description: "The list's identifier." })
  listId: Id

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether to return the completed tasks: false, unless it is said when they were completed.",
  })
  completed?: boolean | null

  @Field(() => InstantRange, { nullable: true, description: "When they were completed." })
  completedAt?: InstantRange | null

  @Field(() => TaskOrder, { nullable: true, description: "Their order; by id ascending without it." })
  orderBy?: TaskOrder | null

  @Field(() => Int, { nullable: true, description: "How many tasks the page holds: 1 to 100. All without it." })
  first?: number | null

  @Field(() => Cursor, {
    nullable: true,
    description: "The `cursor` of a task of an earlier page in the same order; tasks behind it are given.",
  })
  after?: string | null
}

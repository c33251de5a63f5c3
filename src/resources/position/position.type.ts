import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

const VALUES = "The ids in their order, as they were last sent. What no longer exists may still be among them."
const REVISION = "Grows with each change of the order; 1 before the first."

/** §2 Positions. */
@ObjectType({ simpleResolvers: true, description: "The order of a user's lists." })
export class ListPosition {
  @Field(() => ID, { description: "The user's identifier." })
  id: Id

  @Field(() => [ID], { description: VALUES })
  values: Id[]

  @Field(() => Int, { description: REVISION })
  revision: number
}

/** §2 Positions. */
@ObjectType({ simpleResolvers: true, description: "The order of a list's tasks." })
export class TaskPosition {
  @Field(() => ID, { description: "The list's identifier." })
  id: Id

  @Field(() => ID, { description: "The list's identifier." })
  listId: Id

  @Field(() => [ID], { description: VALUES })
  values: Id[]

  @Field(() => Int, { description: REVISION })
  revision: number
}

/** §2 Positions. */
@ObjectType({ simpleResolvers: true, description: "The order of a task's subtasks." })
export class SubtaskPosition {
  @Field(() => ID, { description: "The task's identifier." })
  id: Id

  @Field(() => ID, { description: "The task's identifier." })
  taskId: Id

  @Field(() => [ID], { description: VALUES })
  values: Id[]

  @Field(() => Int, { description: REVISION })
  revision: number
}

/** A list position's row as answers show it. */
export const listPositions = tableOf(ListPosition)
/** A task position's row as answers show it. */
export const taskPositions = tableOf(TaskPosition)
/** A subtask position's row as answers show it. */
export const subtaskPositions = tableOf(SubtaskPosition)

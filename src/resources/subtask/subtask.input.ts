import { Extensions, Field, InputType, Int } from "type-graphql"
import { ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Subtasks, POST. */
@InputType({ description: "The fields of a new subtask." })
export class CreateSubtaskInput {
  @Field(() => ID, { description: "The task to add it to; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => Boolean, { nullable: true, description: "Whether it is completed already." })
  completed?: boolean | null
}

/** §4 Subtasks, PATCH. */
@InputType({ description: "A change of a subtask. Fields that are left out stay unchanged." })
export class UpdateSubtaskInput {
  @Field(() => Int, { description: "The subtask's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "Its title; can't be removed." })
  title?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is completed." })
  completed?: boolean | null
}

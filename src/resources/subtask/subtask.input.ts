import { Extensions, Field, InputType, Int } from "type-graphql"
import { ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new subtask is made of. (§4 Subtasks, POST) */
@InputType({ description: "What a new subtask is made of." })
export class CreateSubtaskInput {
  @Field(() => ID, { description: "The task that is to hold it; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Title, { description: "What is to be done." })
  title: string

  @Field(() => Boolean, { nullable: true, description: "Whether it is done already." })
  completed?: boolean | null
}

/** A change of a subtask: what is left out stays. (§4 Subtasks, PATCH) */
@InputType({ description: "A change of a subtask. What is left out stays." })
export class UpdateSubtaskInput {
  @Field(() => Int, { description: "The subtask's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "What is to be done; can't be removed." })
  title?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is done." })
  completed?: boolean | null
}

import { Field, InputType, Int } from "type-graphql"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Positions, PUT and PATCH. */
@InputType({ description: "A new order. It replaces the whole old order." })
export class UpdatePositionInput {
  @Field(() => Int, { description: "The position's current revision." })
  revision: number

  @Field(() => [ID], {
    description: "The ids in their order, as many as fit in a request's body. Of a repeated id, the first counts.",
  })
  values: Id[]
}

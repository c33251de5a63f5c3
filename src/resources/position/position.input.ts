import { Field, InputType, Int } from "type-graphql"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** A new order. (§4 Positions, PUT and PATCH) */
@InputType({ description: "A new order. It takes the place of the old one as a whole." })
export class UpdatePositionInput {
  @Field(() => Int, { description: "The position's current revision." })
  revision: number

  @Field(() => [ID], {
    description:
      "The ids in their order, as many as the body of a request carries. Of an id that comes twice the first counts.",
  })
  values: Id[]
}

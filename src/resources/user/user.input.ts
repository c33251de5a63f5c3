import { Field, InputType, Int } from "type-graphql"
import { Name } from "../../scalars/scalars.js"

/** A change of the viewer himself. */
@InputType({ description: "A change of the viewer himself." })
export class UpdateUserInput {
  @Field(() => Int, { description: "The user's current revision." })
  revision: number

  @Field(() => Name, { description: "What others are to see him as." })
  name: string
}

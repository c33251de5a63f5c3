import { Field, InputType, Int } from "type-graphql"
import { Name } from "../../scalars/scalars.js"

/** A change of the viewer's own account. */
@InputType({ description: "A change of the current user." })
export class UpdateUserInput {
  @Field(() => Int, { description: "The user's current revision." })
  revision: number

  @Field(() => Name, { description: "The name that other people see." })
  name: string
}

import { Extensions, Field, InputType, Int } from "type-graphql"
import { Title } from "../../scalars/scalars.js"

/** What a new list is made of. (§4, lists) */
@InputType({ description: "What a new list is made of." })
export class CreateListInput {
  @Field(() => Title, { description: "What it is called." })
  title: string

  @Field(() => Boolean, { nullable: true, description: "Whether to call it public. It opens the list to nobody." })
  public?: boolean | null
}

/** A change of a list: what is left out stays. (§4, lists) */
@InputType({ description: "A change of a list. What is left out stays." })
export class UpdateListInput {
  @Field(() => Int, { description: "The list's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "What it is called; can't be removed." })
  title?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether to call it public. It opens the list to nobody." })
  public?: boolean | null
}

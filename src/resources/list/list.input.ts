import { Extensions, Field, InputType, Int } from "type-graphql"
import { Title } from "../../scalars/scalars.js"

/** §4 Lists, POST. */
@InputType({ description: "The fields of a new list." })
export class CreateListInput {
  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => Boolean, { nullable: true, description: "Whether it is marked as public. Gives nobody access." })
  public?: boolean | null
}

/** §4 Lists, PATCH. */
@InputType({ description: "A change of a list. Fields that are left out stay unchanged." })
export class UpdateListInput {
  @Field(() => Int, { description: "The list's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "Its title; can't be removed." })
  title?: string | null

  @Field(() => Boolean, { nullable: true, description: "Whether it is marked as public. Gives nobody access." })
  public?: boolean | null
}

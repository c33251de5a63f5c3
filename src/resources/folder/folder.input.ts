import { Extensions, Field, InputType, Int } from "type-graphql"
import { ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Folders, POST. */
@InputType({ description: "The fields of a new folder." })
export class CreateFolderInput {
  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => [ID], { description: "Lists that the viewer has; they leave the viewer's other folders. May be empty." })
  listIds: Id[]
}

/** §4 Folders, PATCH. */
@InputType({ description: "A change of a folder. Fields that are left out stay unchanged." })
export class UpdateFolderInput {
  @Field(() => Int, { description: "The folder's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "Its title; can't be removed." })
  title?: string | null

  @Field(() => [ID], {
    nullable: true,
    description: "All lists in it; they leave the viewer's other folders. May be empty.",
  })
  listIds?: Id[] | null
}

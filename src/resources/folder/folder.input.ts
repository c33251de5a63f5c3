import { Extensions, Field, InputType, Int } from "type-graphql"
import { ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new folder is made of. (§4 Folders, POST) */
@InputType({ description: "What a new folder is made of." })
export class CreateFolderInput {
  @Field(() => Title, { description: "What it is called." })
  title: string

  @Field(() => [ID], { description: "Lists that the viewer has; they leave his other folders. May be empty." })
  listIds: Id[]
}

/** A change of a folder: what is left out stays. (§4 Folders, PATCH) */
@InputType({ description: "A change of a folder. What is left out stays." })
export class UpdateFolderInput {
  @Field(() => Int, { description: "The folder's current revision." })
  revision: number

  @Extensions({ refusesNull: true })
  @Field(() => Title, { nullable: true, description: "What it is called; can't be removed." })
  title?: string | null

  @Field(() => [ID], {
    nullable: true,
    description: "All lists that are to be in it; they leave the viewer's other folders. May be empty.",
  })
  listIds?: Id[] | null
}

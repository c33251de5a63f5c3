import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { DateTime, ID, Title } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 Folder. */
@ObjectType({ simpleResolvers: true, description: "A user's own group of lists. Nobody else sees it." })
export class Folder {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Title, { description: "Its title." })
  title: string

  @Field(() => [ID], { description: "The lists in it, in no particular order: the list position orders lists." })
  listIds: Id[]

  @Field(() => ID, { description: "The user who owns it." })
  userId: Id

  @Field(() => DateTime, { description: "When it was created." })
  createdAt: string

  @Field(() => ID, { description: "The user who created it." })
  createdById: Id

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that created it." })
  createdByRequestId?: string | null

  @Field(() => DateTime, { description: "When it last changed." })
  updatedAt: string

  @Field(() => Int, { description: "Grows with each change of the folder." })
  revision: number
}

/** A folder's row as answers show it. */
export const folders = tableOf(Folder)

/** The revision of a folder: enough to find out whether to read it again. (§2 Folder revision) */
@ObjectType({ simpleResolvers: true, description: "The current revision of a folder." })
export class FolderRevision {
  @Field(() => ID, { description: "The folder's identifier." })
  id: Id

  @Field(() => Int, { description: "Grows with each change of the folder." })
  revision: number
}

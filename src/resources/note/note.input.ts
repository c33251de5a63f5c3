import { Field, InputType, Int } from "type-graphql"
import { ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new note is made of. (§4 Notes, POST) */
@InputType({ description: "What a new note is made of." })
export class CreateNoteInput {
  @Field(() => ID, { description: "The task that is to hold it; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Text, { description: "The text itself, possibly empty." })
  content: string
}

/** A change of a note. (§4 Notes, PATCH) */
@InputType({ description: "A change of a note." })
export class UpdateNoteInput {
  @Field(() => Int, { description: "The note's current revision." })
  revision: number

  @Field(() => Text, { description: "The text itself, possibly empty." })
  content: string
}

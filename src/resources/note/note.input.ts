import { Field, InputType, Int } from "type-graphql"
import { ID, Text } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Notes, POST. */
@InputType({ description: "The fields of a new note." })
export class CreateNoteInput {
  @Field(() => ID, { description: "The task to add it to; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => Text, { description: "The text, possibly empty." })
  content: string
}

/** §4 Notes, PATCH. */
@InputType({ description: "A change of a note." })
export class UpdateNoteInput {
  @Field(() => Int, { description: "The note's current revision." })
  revision: number

  @Field(() => Text, { description: "The text, possibly empty." })
  content: string
}

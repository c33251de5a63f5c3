import { Field, InputType } from "type-graphql"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Files, POST. */
@InputType({ description: "The fields of a new file." })
export class CreateFileInput {
  @Field(() => ID, { description: "A finished upload of the viewer that no file uses yet." })
  uploadId: Id

  @Field(() => ID, { description: "The task to add it to; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => DateTime, { nullable: true, description: "When the file was created, by the client's clock." })
  localCreatedAt?: string | null
}

import { Field, InputType } from "type-graphql"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new file is made of. (§4 Files, POST) */
@InputType({ description: "What a new file is made of." })
export class CreateFileInput {
  @Field(() => ID, { description: "A finished upload of the viewer's that no file has used." })
  uploadId: Id

  @Field(() => ID, { description: "The task that is to hold it; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => DateTime, { nullable: true, description: "When the file was made, by the client's clock." })
  localCreatedAt?: string | null
}

import { Field, Int, ObjectType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { ByteCount, ContentType, FileName } from "../../scalars/file-scalars.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §2 File. */
@ObjectType({ simpleResolvers: true, description: "A file that is attached to a task." })
export class File {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The task that it belongs to." })
  taskId: Id

  @Field(() => ID, { description: "The list that the task belongs to." })
  listId: Id

  @Field(() => ID, { description: "The user who attached it." })
  userId: Id

  @Field(() => FileName, { description: "What it is called." })
  fileName: string

  @Field(() => ContentType, { description: "Its media type, as the client gave it." })
  contentType: string

  @Field(() => ByteCount, { description: "Its size in bytes." })
  fileSize: number

  @Field(() => DateTime, {
    nullable: true,
    description: "When it was created by its client's clock; files and comments are sorted by it.",
  })
  localCreatedAt?: string | null

  @Field(() => DateTime, { description: "When it was attached." })
  createdAt: string

  @Field(() => String, { nullable: true, description: "The X-Client-Request-Id of the request that attached it." })
  createdByRequestId?: string | null

  @Field(() => DateTime, { description: "When it was last changed." })
  updatedAt: string

  @Field(() => Int, { description: "Grows with each change." })
  revision: number
}

/** A file's row as answers show it. */
export const files = tableOf(File)

const PICTURES = new Set([
  "image/gif",
  "image/jpeg",
  "image/jpg",
  "image/pjpeg",
  "image/png",
  "image/webp",
  "image/tiff",
])

/** Whether a file says that it is of a kind that has thumbnails. */
export const isPicture = (contentType: string): boolean =>
  PICTURES.has(contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "")

/** The path below which a file's bytes are had, once it is signed. Its name is no part of it. */
export const downloadPath = (id: Id): string => `/downloads/${id}`

import { Field, InputType } from "type-graphql"
import { ByteCount, ContentType, FileName, Md5, PartNumber } from "../../scalars/file-scalars.js"

/** What a new upload is made of. (§4 Uploads, POST) */
@InputType({ description: "What a new upload is made of." })
export class CreateUploadInput {
  @Field(() => ContentType, { description: "What the bytes are, as a media type." })
  contentType: string

  @Field(() => FileName, { description: "What the file is to be called." })
  fileName: string

  @Field(() => ByteCount, { description: "How many bytes all parts have together." })
  fileSize: number

  @Field(() => PartNumber, { nullable: true, description: "The part to give credentials for; 1 when left out." })
  partNumber?: number | null

  @Field(() => Md5, { nullable: true, description: "What that part must have; other bytes are refused." })
  md5sum?: string | null
}

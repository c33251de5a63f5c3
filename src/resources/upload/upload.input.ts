import { Field, InputType } from "type-graphql"
import { ByteCount, ContentType, FileName, Md5, PartNumber } from "../../scalars/file-scalars.js"

/** §4 Uploads, POST. */
@InputType({ description: "The fields of a new upload." })
export class CreateUploadInput {
  @Field(() => ContentType, { description: "The file's media type." })
  contentType: string

  @Field(() => FileName, { description: "The file's name." })
  fileName: string

  @Field(() => ByteCount, { description: "The file's size in bytes: all parts together." })
  fileSize: number

  @Field(() => PartNumber, { nullable: true, description: "The part to return credentials for. Default: 1." })
  partNumber?: number | null

  @Field(() => Md5, { nullable: true, description: "The part's checksum; other bytes are refused." })
  md5sum?: string | null
}

import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { Md5, PartNumber } from "../../scalars/file-scalars.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { createUpload, finishUpload, mayFinishUpload, signPart } from "./upload.commands.js"
import { CreateUploadInput } from "./upload.input.js"
import { Upload } from "./upload.type.js"

/** Uploads: start, send parts, finish. (§4 Uploads) */
@Resolver(() => Upload)
export class UploadResolver {
  @Needs("write")
  @Query(() => Upload, { description: "Get the credentials of an upload's part. The viewer's own uploads only." })
  @Extensions({
    asksNetwork: true,
    precondition: (context: Context, { uploadId }: { uploadId: Id }) => mayFinishUpload(context, uploadId),
  })
  uploadPart(
    @Arg("uploadId", () => ID, { description: "The upload's identifier." }) id: Id,
    @Arg("partNumber", () => PartNumber, { description: "The part's number, from 1." }) partNumber: number,
    @Arg("md5sum", () => Md5, { nullable: true, description: "The part's checksum; other bytes are refused." })
    md5sum: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return signPart(context, id, partNumber, md5sum)
  }

  @Extensions({ once: "aside" })
  @Needs("write")
  @Mutation(() => Upload, { description: "Create an upload. Returns the credentials of its first part." })
  createUpload(
    @Arg("input", () => CreateUploadInput, { description: "Its fields." }) input: CreateUploadInput,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return createUpload(context, input)
  }

  @Needs("write")
  @Mutation(() => Upload, { description: "Finish an upload. Joins its parts; repeating the request changes nothing." })
  @Extensions({
    asksNetwork: true,
    precondition: (context: Context, { id }: { id: Id }) => mayFinishUpload(context, id),
  })
  finishUpload(
    @Arg("id", () => ID, { description: "The upload's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return finishUpload(context, id)
  }
}

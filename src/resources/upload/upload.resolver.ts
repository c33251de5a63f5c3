import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from "type-graphql"
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
  @Query(() => Upload, { description: "The viewer's own upload, with the credentials of one of its parts." })
  @Extensions({
    asksNetwork: true,
    verdict: (context: Context, { uploadId }: { uploadId: Id }) => mayFinishUpload(context, uploadId),
  })
  uploadPart(
    @Arg("uploadId", () => ID, { description: "The upload's identifier." }) id: Id,
    @Arg("partNumber", () => PartNumber, { description: "The part; they start at 1." }) partNumber: number,
    @Arg("md5sum", () => Md5, { nullable: true, description: "What the part must have; other bytes are refused." })
    md5sum: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return signPart(context, id, partNumber, md5sum)
  }

  @Extensions({ once: "aside" })
  @Mutation(() => Upload, { description: "Starts an upload; gives the credentials of its first part." })
  createUpload(
    @Arg("input", () => CreateUploadInput, { description: "What it is made of." }) input: CreateUploadInput,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return createUpload(context, input)
  }

  @Mutation(() => Upload, { description: "Puts the parts of an upload together. Asking again changes nothing." })
  @Extensions({
    asksNetwork: true,
    verdict: (context: Context, { id }: { id: Id }) => mayFinishUpload(context, id),
  })
  finishUpload(
    @Arg("id", () => ID, { description: "The upload's identifier." }) id: Id,
    @Ctx() context: Context,
  ): Promise<Upload> {
    return finishUpload(context, id)
  }
}

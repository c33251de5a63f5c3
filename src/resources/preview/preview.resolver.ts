import { Arg, Ctx, Extensions, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { PreviewWidth } from "../../scalars/file-scalars.js"
import { ID, ShortText } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { makePreview } from "./preview.commands.js"
import { Preview } from "./preview.type.js"

/** Thumbnails of files. */
@Resolver()
export class PreviewResolver {
  @Extensions({ asksNetwork: true })
  @Needs("read")
  @Query(() => Preview, {
    description: "Get a preview: a thumbnail of a gif, jpeg, png, webp or tiff, made when it is first requested.",
  })
  preview(
    @Arg("fileId", () => ID, { description: "The file's identifier." }) fileId: Id,
    @Arg("width", () => PreviewWidth, { nullable: true, description: "The minimum width." })
    width: number | null | undefined,
    @Arg("size", () => ShortText, {
      nullable: true,
      description: "Instead of a width: `nonretina` (512) or `retina` (1024).",
    })
    size: string | null | undefined,
    @Arg("platform", () => ShortText, { nullable: true, description: "The client's platform; has no effect." })
    _platform: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<Preview> {
    return makePreview(context, fileId, { width, size })
  }
}

import { Arg, Ctx, Extensions, Query, Resolver } from "type-graphql"
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
  @Query(() => Preview, {
    description: "A thumbnail of a gif, jpeg, png, webp or tiff; made when it is first asked for.",
  })
  preview(
    @Arg("fileId", () => ID, { description: "The file's identifier." }) fileId: Id,
    @Arg("width", () => PreviewWidth, { nullable: true, description: "How wide it is to be, at least." })
    width: number | null | undefined,
    @Arg("size", () => ShortText, {
      nullable: true,
      description: "Instead of a width: `nonretina` (512) or `retina` (1024).",
    })
    size: string | null | undefined,
    @Arg("platform", () => ShortText, { nullable: true, description: "What it is to be seen on; makes no difference." })
    _platform: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<Preview> {
    return makePreview(context, fileId, { width, size })
  }
}

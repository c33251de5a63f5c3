import { Field, ObjectType } from "type-graphql"
import { DateTime } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** A thumbnail of a file: where it is, and for how long. */
@ObjectType({ simpleResolvers: true, description: "Where a thumbnail of a file is." })
export class Preview {
  @Field(() => String, { description: "Opens without headers." })
  url: string

  @Field(() => String, { description: "The size that was asked for." })
  size: string

  @Field(() => DateTime, { description: "When the address ends." })
  expiresAt: string
}

/** The widths in pixels that thumbnails are made in; a wish is rounded up, so that a file has few. */
const WIDTHS = [64, 128, 256, 512, 1_024, 2_048] as const

/** The width in which a thumbnail is made for whoever wants it that wide. */
export const widthFor = (wanted: number): number => WIDTHS.find((width) => width >= wanted) ?? 2_048

/** The path below which a thumbnail is had, once it is signed. */
export const previewPath = (fileId: Id, width: number): string => `/previews/${fileId}/${width}`

import { Field, ObjectType } from "type-graphql"
import { DateTime } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

@ObjectType({ simpleResolvers: true, description: "A thumbnail of a file." })
export class Preview {
  @Field(() => String, { description: "Its address, which opens without headers." })
  url: string

  @Field(() => String, { description: "The requested size." })
  size: string

  @Field(() => DateTime, { description: "When the address expires." })
  expiresAt: string
}

/** The widths in pixels that thumbnails are made in; the requested width is rounded up, so that a file has few. */
const WIDTHS = [64, 128, 256, 512, 1_024, 2_048] as const

/** The width in which a thumbnail is made for clients that ask for this width. */
export const widthFor = (wanted: number): number => WIDTHS.find((width) => width >= wanted) ?? 2_048

/** The path below which a thumbnail is had, once it is signed. */
export const previewPath = (fileId: Id, width: number): string => `/previews/${fileId}/${width}`

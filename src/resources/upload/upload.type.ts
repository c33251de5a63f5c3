import { Field, ObjectType, registerEnumType } from "type-graphql"
import { DateTime, ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** How far an upload is (§3). */
export enum UploadState {
  /** @public the column's default, which no code writes */
  new = "new",
  finished = "finished",
}
registerEnumType(UploadState, {
  name: "UploadState",
  description: "The state of an upload.",
  valuesConfig: {
    new: { description: "Its parts are being sent." },
    finished: { description: "Its parts have been joined." },
  },
})

/** §4 Uploads. */
@ObjectType({
  simpleResolvers: true,
  description: "The credentials with which a client sends one part: PUT to `url` with an empty Content-Type.",
})
export class UploadPart {
  @Field(() => String, { description: "Where to PUT the part." })
  url: string

  @Field(() => String, { description: "The value of the header `x-amz-date`." })
  date: string

  @Field(() => String, { description: "The value of the header `Authorization`." })
  authorization: string
}

/** §2 Upload. */
@ObjectType({ simpleResolvers: true, description: "A file on its way into the store, in up to 10000 parts." })
export class Upload {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The user who created it. Nobody else can see it." })
  userId: Id

  @Field(() => UploadState, { description: "Its state." })
  state: UploadState

  @Field(() => DateTime, {
    nullable: true,
    description: "When the credentials of `part` expire: 15 minutes after their date.",
  })
  expiresAt?: string | null

  @Field(() => UploadPart, {
    nullable: true,
    description: "The credentials of the requested part; null when none was requested.",
  })
  part?: UploadPart | null
}

/** An upload with what only we know of it. */
export type UploadRow = {
  id: Id
  userId: Id
  state: UploadState
  fileSize: number
  storageKey: string
  storageUploadId: string
}

/** An upload's row as commands read it. */
export const uploads = table<UploadRow>({
  id: "id",
  userId: "id",
  state: "text",
  fileSize: "integer",
  storageKey: "text",
  storageUploadId: "text",
})

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
  description: "How far an upload is.",
  valuesConfig: {
    new: { description: "Its parts are being sent." },
    finished: { description: "The store has put its parts together." },
  },
})

/** With what the client itself sends one part to the store, by PUT with an empty Content-Type. (§4 Uploads) */
@ObjectType({
  simpleResolvers: true,
  description: "With what a client sends one part itself: PUT to `url` with an empty Content-Type.",
})
export class UploadPart {
  @Field(() => String, { description: "Where to PUT the part." })
  url: string

  @Field(() => String, { description: "The value of the header `x-amz-date`." })
  date: string

  @Field(() => String, { description: "The value of the header `Authorization`." })
  authorization: string
}

/** Bytes on their way into the store. (§2 Upload) */
@ObjectType({ simpleResolvers: true, description: "Bytes on their way into the store, in up to 10000 parts." })
export class Upload {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => ID, { description: "The user who made it; nobody else can see it." })
  userId: Id

  @Field(() => UploadState, { description: "How far it is." })
  state: UploadState

  @Field(() => DateTime, {
    nullable: true,
    description: "When the credentials of `part` end, 15 minutes after its date.",
  })
  expiresAt?: string | null

  @Field(() => UploadPart, {
    nullable: true,
    description: "The credentials of the part that was asked for; null where none was.",
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

import { Field, InputType, Int } from "type-graphql"
import { DateTime, ID, ShortText } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new reminder is made of. (§4 Reminders, POST) */
@InputType({ description: "What a new reminder is made of." })
export class CreateReminderInput {
  @Field(() => ID, { description: "The task it tells of; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => DateTime, { description: "When it falls due." })
  date: string

  @Field(() => ShortText, {
    nullable: true,
    description: "The udid of a device that reminds by itself: no push goes there. It is never shown again.",
  })
  createdByDeviceUdid?: string | null
}

/** A change of a reminder. (§4 Reminders, PATCH) */
@InputType({ description: "A change of a reminder." })
export class UpdateReminderInput {
  @Field(() => Int, { description: "The reminder's current revision." })
  revision: number

  @Field(() => DateTime, { description: "When it falls due." })
  date: string

  @Field(() => ID, {
    nullable: true,
    description:
      "The reminder's identifier once more: REST clients may repeat it in the body. It must be the same one.",
  })
  id?: Id | null
}

import { Field, InputType, Int } from "type-graphql"
import { DateTime, ID, ShortText } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** §4 Reminders, POST. */
@InputType({ description: "The fields of a new reminder." })
export class CreateReminderInput {
  @Field(() => ID, { description: "The task to be reminded of; the viewer must be a member of its list." })
  taskId: Id

  @Field(() => DateTime, { description: "When it is due." })
  date: string

  @Field(() => ShortText, {
    nullable: true,
    description: "The udid of a device that reminds by itself and gets no push. It is not returned.",
  })
  createdByDeviceUdid?: string | null
}

/** §4 Reminders, PATCH. */
@InputType({ description: "A change of a reminder." })
export class UpdateReminderInput {
  @Field(() => Int, { description: "The reminder's current revision." })
  revision: number

  @Field(() => DateTime, { description: "When it is due." })
  date: string

  @Field(() => ID, {
    nullable: true,
    description: "The reminder's identifier, which REST clients may repeat in the body. It must be the same one.",
  })
  id?: Id | null
}

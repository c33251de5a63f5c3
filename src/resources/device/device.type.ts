import { Field, ObjectType, registerEnumType } from "type-graphql"
import { tableOf } from "../../loading/fields.js"
import { Udid } from "../../scalars/push-subscription.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** How a device is told. Written as the REST contract writes it. */
export enum DevicePlatform {
  web_push = "web_push",
}
registerEnumType(DevicePlatform, {
  name: "DevicePlatform",
  description: "How a device is notified.",
  valuesConfig: { web_push: { description: "By Web Push: a browser, or another client of that protocol." } },
})

/** §9 Reminder push. */
@ObjectType({
  simpleResolvers: true,
  description: "A browser or another device that the viewer's reminders are pushed to.",
})
export class Device {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Udid, { description: "The client's identifier for it, unique among the viewer's devices." })
  udid: string

  @Field(() => DevicePlatform, { description: "How it is notified." })
  platform: DevicePlatform

  @Field(() => DateTime, { description: "When it was last registered." })
  createdAt: string
}

/** A device's row as answers show it: where its messages go stays unsaid. */
export const devices = tableOf(Device)

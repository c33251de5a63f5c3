import { Field, ObjectType, registerEnumType } from "type-graphql"
import { Udid } from "../../scalars/push-subscription.js"
import { DateTime, ID } from "../../scalars/scalars.js"
import { type Id, table } from "../../statement.js"

/** How a device is told. Written as the REST contract writes it. */
export enum DevicePlatform {
  web_push = "web_push",
}
registerEnumType(DevicePlatform, {
  name: "DevicePlatform",
  description: "How a device is told.",
  valuesConfig: { web_push: { description: "By Web Push: a browser, or what speaks its protocol." } },
})

/** Where a user's reminders are pushed to. (§9 Reminder push) */
@ObjectType({
  simpleResolvers: true,
  description: "A browser or another device to which the viewer's reminders are pushed.",
})
export class Device {
  @Field(() => ID, { description: "Its identifier." })
  id: Id

  @Field(() => Udid, { description: "What its client calls it; one of a kind among the viewer's devices." })
  udid: string

  @Field(() => DevicePlatform, { description: "How it is told." })
  platform: DevicePlatform

  @Field(() => DateTime, { description: "When it was registered last." })
  createdAt: string
}

/** A device's row as answers show it: where its messages go stays unsaid. */
export const devices = table<Device>({ id: "id", udid: "text", platform: "text", createdAt: "instant" })

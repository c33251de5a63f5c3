import { Field, InputType } from "type-graphql"
import { PushSubscription, Udid } from "../../scalars/push-subscription.js"
import { DevicePlatform } from "./device.type.js"

/** What a device is registered with. (§5 Devices, POST) */
@InputType({ description: "What a device is registered with." })
export class CreateDeviceInput {
  @Field(() => Udid, {
    description: "What the client calls it. Registering it again replaces what was there under this name.",
  })
  udid: string

  @Field(() => DevicePlatform, { description: "How it is told." })
  platform: DevicePlatform

  @Field(() => PushSubscription, { description: "Where its messages go; made with the key of `vapidPublicKey`." })
  subscription: PushSubscription
}

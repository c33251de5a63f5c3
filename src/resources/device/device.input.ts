import { Field, InputType } from "type-graphql"
import { PushSubscription, Udid } from "../../scalars/push-subscription.js"
import { DevicePlatform } from "./device.type.js"

/** §5 Devices, POST. */
@InputType({ description: "The fields of a new device." })
export class CreateDeviceInput {
  @Field(() => Udid, {
    description: "The client's identifier for it. Registering the same udid again replaces the device.",
  })
  udid: string

  @Field(() => DevicePlatform, { description: "How it is notified." })
  platform: DevicePlatform

  @Field(() => PushSubscription, { description: "Where its messages are sent; made with the key of `vapidPublicKey`." })
  subscription: PushSubscription
}

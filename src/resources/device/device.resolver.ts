import { Arg, Ctx, Extensions, Mutation, Query, Resolver } from "type-graphql"
import { Needs } from "../../access/needs.js"
import type { Context } from "../../context.js"
import { ID } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { createDevice, deleteDevice, devicesOf } from "./device.commands.js"
import { CreateDeviceInput } from "./device.input.js"
import { Device } from "./device.type.js"

/** Devices that reminders are pushed to: read, register, remove. (§5 Devices) */
@Resolver(() => Device)
export class DeviceResolver {
  @Needs("read")
  @Query(() => [Device], { description: "List devices. The viewer's, by id ascending." })
  devices(@Ctx() { db, viewer }: Context): Promise<Device[]> {
    return devicesOf(db, viewer.userId)
  }

  @Needs("read")
  @Query(() => String, {
    description:
      "Get the service's public key (VAPID), in base64url. Browsers subscribe with it as `applicationServerKey`.",
  })
  vapidPublicKey(@Ctx() { vapidPublicKey }: Context): string {
    return vapidPublicKey
  }

  @Extensions({ once: "inTransaction" })
  @Needs("manage", "read")
  @Mutation(() => Device, { description: "Register a device. It replaces one of the viewer's that has the same udid." })
  createDevice(
    @Arg("input", () => CreateDeviceInput, { description: "Its fields." }) input: CreateDeviceInput,
    @Ctx() context: Context,
  ): Promise<Device> {
    return createDevice(context, input)
  }

  @Needs("manage")
  @Mutation(() => Boolean, { description: "Delete a device." })
  deleteDevice(
    @Arg("id", () => ID, { description: "The device's identifier." }) id: Id,
    @Ctx() { db, viewer }: Context,
  ): Promise<boolean> {
    return deleteDevice(db, viewer.userId, id)
  }
}

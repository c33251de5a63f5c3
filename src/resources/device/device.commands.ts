import type { Context, Database } from "../../context.js"
import { InvalidFields, NotFound, Unauthorized } from "../../errors.js"
import { egressPolicy } from "../../outbound/egress-policy.js"
import type { Id } from "../../statement.js"
import type { CreateDeviceInput } from "./device.input.js"
import { putDevice } from "./device.statements.js"
import { type Device, devices } from "./device.type.js"

const everywhere = egressPolicy([])

/** Registers a device of the viewer's; under a name that is there already, in its place. (§5 Devices, POST) @throws InvalidFields (an address inside, or without TLS), Unauthorized (the token has just ended) */
export async function createDevice(
  context: Context,
  { udid, platform, subscription }: CreateDeviceInput,
): Promise<Device> {
  refuseEndpoint(context, new URL(subscription.endpoint))
  const values = [context.viewer.userId, udid, platform, JSON.stringify(subscription), context.viewer.tokenId]
  const [device] = await context.db.run(putDevice, values)
  if (device === undefined) throw new Unauthorized()
  return device
}

/** Push services are asked over TLS; without it only one inside that the operator has allowed. */
function refuseEndpoint({ mayConnect }: Context, { protocol, hostname }: URL): void {
  const refuse = (text: string) => {
    throw new InvalidFields({ subscription: [`endpoint ${text}`] })
  }
  if (!mayConnect(hostname)) refuse("must not lead to a private, loopback or link-local address")
  if (protocol !== "https:" && everywhere.host(hostname)) refuse("must be an absolute https URL")
}

/** Those that are registered now, the oldest first. */
export async function devicesOf({ prisma }: Pick<Database, "prisma">, userId: Id): Promise<Device[]> {
  const found = await prisma.device.findMany({ where: { userId: BigInt(userId) }, orderBy: { id: "asc" } })
  return found.map(devices.readPrisma)
}

/** Removes a device of a user's. (§5 Devices, DELETE) @throws NotFound */
export async function deleteDevice({ prisma }: Pick<Database, "prisma">, userId: Id, id: Id): Promise<true> {
  const { count } = await prisma.device.deleteMany({ where: { id: BigInt(id), userId: BigInt(userId) } })
  if (count === 0) throw new NotFound()
  return true
}

import { get, post, type Route, remove } from "../../operations/route.js"
import { devices } from "./device.type.js"

const DEVICE = devices.members()

/** §5 Devices. */
export const deviceRoutes: readonly Route[] = [
  get("/devices", `{ devices { ${DEVICE} } }`),
  post("/devices", `mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { ${DEVICE} } }`),
  remove("/devices/:id", "mutation ($id: ID!) { deleteDevice(id: $id) }"),
]

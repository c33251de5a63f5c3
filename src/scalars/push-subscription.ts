import { GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from "graphql"
import { literal, Refusal, stringScalar, upTo } from "./scalars.js"

/** Where and how a browser is sent messages, as its PushSubscription says it. */
export type PushSubscription = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

const MAX_ENDPOINT_LENGTH = 2_048
/** An uncompressed point of the curve P-256, and a secret (RFC 8291). */
const KEY_BYTES = 65
const SECRET_BYTES = 16

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function bytesOf(value: unknown, name: string, length: number): string {
  if (typeof value !== "string") throw new TypeError(`keys.${name} must be a string`)
  const isBase64 = /^[\w+/-]+=*$/.test(value)
  if (!isBase64 || Buffer.from(value, "base64url").length !== length)
    throw new Refusal(`keys.${name} must be ${length} bytes in base64url`)
  return value
}

/** Reads what PushSubscription.toJSON() gives; members that are of no use here are left out. */
function subscriptionFrom(value: unknown): PushSubscription {
  if (!isObject(value)) throw new TypeError("must be an object")
  const { endpoint, keys } = value
  if (typeof endpoint !== "string") throw new TypeError("endpoint must be a string")
  if (!isObject(keys)) throw new TypeError("keys must be an object")
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    /\s/.test(endpoint) ||
    endpoint.length > MAX_ENDPOINT_LENGTH
  )
    throw new Refusal(`endpoint must be an absolute https URL of at most ${MAX_ENDPOINT_LENGTH} characters`)
  if (url.username !== "" || url.password !== "") throw new Refusal("endpoint must not contain a user name or password")
  return {
    endpoint: url.href,
    keys: { p256dh: bytesOf(keys.p256dh, "p256dh", KEY_BYTES), auth: bytesOf(keys.auth, "auth", SECRET_BYTES) },
  }
}

/** A push subscription as browsers write it in JSON. */
export const PushSubscription = new GraphQLScalarType<PushSubscription, PushSubscription>({
  name: "PushSubscription",
  description:
    "What the browser's PushSubscription.toJSON() gives: `endpoint`, and `keys` with `p256dh` and `auth` in base64url.",
  parseValue: subscriptionFrom,
  parseLiteral: (node: ValueNode, variables) =>
    subscriptionFrom(node.kind === Kind.OBJECT ? valueFromASTUntyped(node, variables) : literal(node)),
})

/** What a client calls its device. */
export const Udid = stringScalar({
  name: "Udid",
  description: "A client's identifier for a device: 1 to 255 characters (Unicode code points).",
  check: upTo(255, 1),
})

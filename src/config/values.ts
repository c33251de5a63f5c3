import { isIP } from "node:net"
import { z } from "zod"

/** An address with one of the schemes, and with a host. */
export const address = (schemes: readonly string[], example: string) =>
  z.string().refine(
    (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      return url !== undefined && url.host !== "" && schemes.includes(url.protocol.slice(0, -1))
    },
    { error: `must be an address such as ${example}` },
  )

/** An address of the web without a slash at its end. */
export const webAddress = (example: string) =>
  address(["http", "https"], example)
    .refine((text) => !/[?#]/.test(text), { error: `must have no query and no fragment, as in ${example}` })
    .transform((text) => text.replace(/\/+$/, ""))

/** A whole number within limits. */
export const integer = (least: number, most: number, example: string) =>
  z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}, such as ${example}`,
    })
    .transform(Number)

/** One of a few words. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.join(", ")}` })

/** true or false. */
export const flag = choice(["true", "false"]).transform((text) => text === "true")

/** Words with commas between them. */
export const list = (text: string) => text.split(",").map((item) => item.trim())

/** Whether a text is an IP address, or a network as a CIDR. */
export function isNetwork(text: string): boolean {
  const [host = "", bits, ...rest] = text.split("/")
  const family = isIP(host)
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
  return family !== 0 && isBits && rest.length === 0
}

/** An IP address or CIDR as a CIDR. */
export const asNetwork = (text: string) => (text.includes("/") ? text : `${text}/${isIP(text) === 4 ? 32 : 128}`)

/** What TRUST_PROXY takes. */
export const PROXIES = "must be true, false, a number of proxies, or their addresses, such as loopback,10.0.0.0/8"
/** Whether these are addresses of proxies, or names for some. */
export const areProxies = (items: string[]) =>
  items.every((item) => isNetwork(item) || ["loopback", "linklocal", "uniquelocal"].includes(item))

/** A share of a whole. */
export const share = (example: string) =>
  z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: `must be a number from 0 to 1, such as ${example}` })
    .transform(Number)

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 }
const LONGEST_WINDOW_MS = 24 * UNIT_MS.h

/** So much in a window of time: `600/60s`. */
export const rate = (example: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,6}\/[1-9]\d{0,4}[smh]$/, {
      error: `must be a number of requests and a window of time in s, m or h, such as ${example}`,
    })
    .transform((text) => {
      const [limit, window] = text.split("/") as [string, string]
      return { limit: Number(limit), windowMs: Number.parseInt(window, 10) * UNIT_MS[window.at(-1) as "s"] }
    })
    .refine(({ windowMs }) => windowMs <= LONGEST_WINDOW_MS, { error: "must have a window of at most 24h" })

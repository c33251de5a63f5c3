import { isIP } from "node:net"
import { z } from "zod"

/** Whether a text is an address with one of the schemes, and with a host. */
function isAddress(text: string, schemes: readonly string[]): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && url.host !== "" && schemes.includes(url.protocol.slice(0, -1))
}

/** An address with one of the schemes, and with a host. */
export const address = (schemes: readonly string[], example: string) =>
  z.string().refine((text) => isAddress(text, schemes), { error: `must be an address such as ${example}` })

/** What an address of PostgreSQL may say behind its question mark, each with the values that it may have; none stands for any. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  ...{ host: undefined, application_name: undefined },
  ...{ sslcert: undefined, sslkey: undefined, sslrootcert: undefined },
  sslmode: ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"],
  sslnegotiation: ["postgres", "direct"],
  uselibpqcompat: ["true"],
  // Both are so in any case.
  schema: ["public"],
  target_session_attrs: ["read-write", "primary"],
}

/** What is wrong with the parameters of an address of PostgreSQL: what the driver does not know it would leave out silently. */
function violationOfParameters(parameters: URLSearchParams): string | undefined {
  for (const [name, value] of parameters) {
    if (!Object.hasOwn(PARAMETERS, name))
      return `has the parameter ${name}, which has no effect here: remove it. Known are ${Object.keys(PARAMETERS).join(", ")}`
    const values = PARAMETERS[name]
    if (name === "schema" && value !== "public")
      return "has another schema than public, where all tables are kept: remove the parameter schema, and create a database of its own"
    if (values !== undefined && !values.includes(value))
      return `has a ${name} that is not known: it must be one of ${values.join(", ")}`
    if (parameters.getAll(name).length > 1) return `has the parameter ${name} more than once`
  }
  return undefined
}

/** The hosts of an address, with their ports; for one that names several no URL can be made. */
const hostsOf = (text: string): readonly string[] =>
  (/^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(text)?.[1] ?? "").split(",")

/** An address of one PostgreSQL, in the words of its driver. */
export const postgresAddress = (example: string) =>
  z
    .string()
    .refine((text) => hostsOf(text).length === 1, {
      error:
        "names several hosts, of which one can be used: name a proxy in front of them that leads to the primary, such as haproxy",
      abort: true,
    })
    .refine((text) => isAddress(text, ["postgres", "postgresql"]), {
      error: `must be an address such as ${example}`,
      abort: true,
    })
    .superRefine((text, context) => {
      const message = violationOfParameters(new URL(text).searchParams)
      if (message !== undefined) context.addIssue({ code: "custom", message })
    })
    .transform((text) => {
      const url = new URL(text)
      const { searchParams: parameters } = url
      const sslmode = parameters.get("sslmode") ?? ""
      // What the driver makes of them, with a warning; libpq's meaning is had by uselibpqcompat.
      if (["prefer", "require", "verify-ca"].includes(sslmode) && !parameters.has("uselibpqcompat"))
        parameters.set("sslmode", "verify-full")
      for (const name of ["schema", "target_session_attrs"]) parameters.delete(name)
      return url.search === new URL(text).search ? text : url.href
    })

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

/** Nothing but `true` and `false`: `1`, `yes` and the empty text are refused. */
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

/** A share from 0 to 1, both allowed, with at most nine digits behind the point. */
export const share = (example: string) =>
  z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, { error: `must be a number from 0 to 1, such as ${example}` })
    .transform(Number)

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 }
const MAX_WINDOW_MS = 24 * UNIT_MS.h

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
    .refine(({ windowMs }) => windowMs <= MAX_WINDOW_MS, { error: "must have a window of at most 24h" })

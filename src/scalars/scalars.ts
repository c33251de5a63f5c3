import { type GraphQLScalarSerializer, GraphQLScalarType, GraphQLString, Kind, type ValueNode } from "graphql"
import { InvalidFields } from "../errors.js"
import type { Id } from "../statement.js"
import { violationOfPublicRedirectUri } from "./redirect-uri.js"

// The limits of §8 as types, so that both transports and schema.graphql have them. A value of the wrong JSON type is a TypeError
// ("must be a string"): a mistyped parameter. A value outside the limit is a Refusal: a validation error.

/** A value of the right type outside a scalar's limit; the text says what would be right. */
export class Refusal extends InvalidFields {
  constructor(readonly reason: string) {
    super({ value: [reason] })
  }
}

const MAX_ID = BigInt(Number.MAX_SAFE_INTEGER)

/** The canonical form of an identifier; "0", which no row has, for anything that cannot be one. */
export function idOf(value: unknown): Id {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : "0"
  if (typeof value !== "string" || !/^[1-9]\d{0,15}$/.test(value)) return "0"
  return BigInt(value) <= MAX_ID ? value : "0"
}

function idFrom(value: unknown): Id {
  if (typeof value === "number" ? Number.isInteger(value) : typeof value === "string") return idOf(value)
  throw new TypeError("must be an integer")
}

/** GraphQL's own ID with our ids: digits in and out. What is no id is one that nothing has, so that it is not found. */
export const ID = new GraphQLScalarType<Id, Id>({
  name: "ID",
  serialize: (value) => String(value),
  parseValue: idFrom,
  parseLiteral: (node) => idFrom(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : null),
})

/** What a literal in a document says; null for what is no single value. */
export const literal = (node: ValueNode): unknown => {
  if (node.kind === Kind.STRING || node.kind === Kind.ENUM || node.kind === Kind.BOOLEAN) return node.value
  if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value)
  return null
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

function storable(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("must be a string")
  if (value.includes("\0")) throw new Refusal("must not contain the NUL character")
  if (LONE_SURROGATE.test(value)) throw new Refusal("must be valid Unicode, without lone surrogates")
  return value
}

/** On a scalar that is a limit: the type that clients see in its place. */
export const SHOWN_AS = "shownAs"

type StringRule = {
  name: string
  description: string
  /** The type that clients see: String when left out, the scalar itself with "itself". */
  shownAs?: GraphQLScalarType | "itself"
  check?: (value: string) => string
  serialize?: GraphQLScalarSerializer<unknown>
}

/** A string type: text that can be stored unaltered and passes `check`, which returns it or throws a Refusal. */
export const stringScalar = ({
  name,
  description,
  shownAs = GraphQLString,
  check = (value) => value,
  serialize = (value) => value,
}: StringRule) =>
  new GraphQLScalarType({
    name,
    description,
    extensions: shownAs === "itself" ? {} : { [SHOWN_AS]: shownAs },
    serialize,
    parseValue: (value) => check(storable(value)),
    parseLiteral: (node) => check(storable(literal(node))),
  })

/** Code points, not UTF-16 units: an emoji is one character, as in PostgreSQL. */
const codePoints = (value: string): number => {
  let count = 0
  for (const _ of value) count++
  return count
}

/** A rule of {@link stringScalar}: so many code points. */
export const upTo =
  (max: number, min = 0) =>
  (value: string): string => {
    // A UTF-16 unit is at least half a code point, so most values need no counting.
    const length = value.length <= max ? value.length : codePoints(value)
    if (length < min || length > max)
      throw new Refusal(min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`)
    return value
  }

const notBlank = (value: string): string => {
  if (!/\S/.test(value)) throw new Refusal("must not be blank: 1 to 255 characters")
  return upTo(255, 1)(value)
}

/** A title (§8): 1 to 255 code points, not only white space, kept verbatim. */
export const Title = stringScalar({
  name: "Title",
  description: "1 to 255 characters (Unicode code points), not only white space; stored verbatim.",
  check: notBlank,
})

/** A person's name or a thing's: the rule of {@link Title}. */
export const Name = stringScalar({
  name: "Name",
  description: "1 to 255 characters (Unicode code points), not only white space.",
  check: notBlank,
})

/** Text of any length that a request can carry. */
export const Text = stringScalar({
  name: "Text",
  description: "Text of any length, possibly empty; valid Unicode without the NUL character.",
})

/** Text of at most 255 code points, possibly empty. */
export const ShortText = stringScalar({
  name: "ShortText",
  description: "At most 255 characters (Unicode code points), possibly empty.",
  check: upTo(255),
})

/** The key of a setting: 1 to 255 code points. */
export const SettingKey = stringScalar({
  name: "SettingKey",
  description: "1 to 255 characters (Unicode code points).",
  check: upTo(255, 1),
})

/** An address, for clients that have a type for such. */
const Url = new GraphQLScalarType({ name: "URL", description: "An absolute URL." })

/** The address of a webhook (§8): http or https, at most 255 characters. */
export const WebhookUrl = stringScalar({
  name: "WebhookUrl",
  shownAs: Url,
  description: "An absolute http or https URL of at most 255 characters.",
  check: (value) => {
    upTo(255, 1)(value)
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol) || /\s/.test(value))
      throw new Refusal("must be an absolute http or https URL")
    if (url.username !== "" || url.password !== "") throw new Refusal("must not contain a user name or password")
    return value
  },
})

/** Where people return to with a code (§5). */
export const RedirectUri = stringScalar({
  name: "RedirectUri",
  shownAs: Url,
  description:
    "An https address, http on the user's own machine, or one with an application's own scheme; no fragment.",
  check: (value) => {
    const violation = violationOfPublicRedirectUri(value)
    if (violation !== undefined) throw new Refusal(violation)
    return value
  },
})

/** An email address; its letters' case does not matter, so it is kept in lower case. */
export const Email = stringScalar({
  name: "Email",
  shownAs: "itself",
  description: "An email address; case is ignored.",
  check: (value) => {
    upTo(255, 3)(value)
    if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Refusal("must be an email address")
    return value.toLowerCase()
  },
})

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

function isRealDate(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? []
  const date = new Date(`${value}T00:00:00Z`)
  return (
    year !== undefined &&
    year !== "0000" &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day)
  )
}

function realDate(value: string): string {
  if (!isRealDate(value)) throw new Refusal("must be a real calendar date in the form YYYY-MM-DD")
  return value
}

/** A calendar date, never passed through a time zone. */
export const DateOnly = stringScalar({
  name: "Date",
  shownAs: "itself",
  description: "A calendar date, YYYY-MM-DD, without a time zone.",
  check: realDate,
})

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)$/

function instantFrom(value: string): string {
  const [, date, hour, minute, second = "00", fraction = "", zone] = INSTANT.exec(value) ?? []
  if (date === undefined || zone === undefined)
    throw new Refusal("must be an ISO 8601 date and time with a time zone, like 2013-08-30T08:36:13.273Z")
  const offset = /^[Zz]$/.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3).replace(":", "") || "00"}`
  const instant = new Date(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}${offset}`)
  // Its zone may put it into the year 0, which PostgreSQL does not have, or behind 9999, which four digits do not say.
  if (!isRealDate(date) || Number.isNaN(instant.getTime()) || !/^(?!0000)\d{4}-/.test(instant.toISOString()))
    throw new Refusal("must be a real date and time between the years 1 and 9999")
  return instant.toISOString()
}

/** An instant: any ISO 8601 form with a zone in, UTC with milliseconds out. */
export const DateTime = stringScalar({
  name: "DateTime",
  shownAs: "itself",
  description: "An instant in ISO 8601. Any form with a time zone is accepted; UTC with milliseconds is returned.",
  check: instantFrom,
  serialize: (value) => (value instanceof Date ? value.toISOString() : value),
})

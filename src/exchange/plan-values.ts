import type { GraphQLScalarType } from "graphql"
import { z } from "zod"
import { DateOnly, DateTime, RecurrenceCount, Refusal } from "../scalars/scalars.js"
import type { Remarks } from "./plan.js"

// What a file says, brought within the limits of the service: nothing is lost without a remark.

const LONGEST_TITLE = 255
const UNTITLED = "Untitled"
const PERIODS = ["day", "week", "month", "year"]

/** An identifier as files write it. */
export const fileId = z
  .union([z.number(), z.string()], { error: "must be an id: a number or a string" })
  .transform((id) => String(id))
/** Text, absence and null being the same. */
export const text = z
  .string({ error: "must be a string" })
  .nullish()
  .transform((value) => value ?? undefined)
/** True or false, absence and null being false. */
export const flag = z
  .boolean({ error: "must be true or false" })
  .nullish()
  .transform((value) => value ?? false)
/** An array of rows that are looked at one by one; absence and null are none. */
export const rows = z
  .array(z.unknown(), { error: "must be an array" })
  .nullish()
  .transform((value) => value ?? [])

/** Reads one row; undefined, with a remark that names the member at fault, when it is not of that shape. */
export function readRow<Shape extends z.ZodType>(
  remarks: Remarks,
  place: string,
  shape: Shape,
  row: unknown,
): z.output<Shape> | undefined {
  const { data, error } = shape.safeParse(row)
  if (error === undefined) return data
  const [{ path, message }] = error.issues as [z.core.$ZodIssue]
  remarks.skip([place, ...path].join("."), path.length === 0 ? "must be an object" : message)
  return undefined
}

/** Text that can be stored: NUL and halves of characters go, with a remark. */
export function storable(remarks: Remarks, place: string, value: string): string {
  const clean = Buffer.from(value.replaceAll("\0", "")).toString()
  if (clean !== value) remarks.change(place, "holds characters that are none; they were taken out")
  return clean
}

/** A title within its limit; what did not fit comes back as `whole`, for a note. */
export function titleOf(
  remarks: Remarks,
  place: string,
  value: string | undefined,
): { title: string; whole: string | undefined } {
  const clean = storable(remarks, place, value ?? "")
  if (!/\S/.test(clean)) {
    remarks.change(place, `is blank; it is called ${UNTITLED}`)
    return { title: UNTITLED, whole: undefined }
  }
  const characters = clean.length > LONGEST_TITLE ? [...clean] : []
  if (characters.length <= LONGEST_TITLE) return { title: clean, whole: undefined }
  return { title: `${characters.slice(0, LONGEST_TITLE - 1).join("")}…`, whole: clean }
}

/** The title of what has no notes: what does not fit is cut off, with a remark. */
export function shortTitleOf(remarks: Remarks, place: string, value: string | undefined): string {
  const { title, whole } = titleOf(remarks, place, value)
  if (whole !== undefined) remarks.change(place, `has more than ${LONGEST_TITLE} characters; the rest was cut off`)
  return title
}

function within<Value>(scalar: GraphQLScalarType, value: unknown): { value: Value } | { fault: string } {
  try {
    return { value: scalar.parseValue(value) as Value }
  } catch (error) {
    return { fault: error instanceof Refusal ? error.reason : (error as Error).message }
  }
}

/** What stands in a remark for a value: of what holds others only that it does. */
function quoted(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return Array.isArray(value) ? "an array" : "an object"
}

function taken<Value>(remarks: Remarks, place: string, scalar: GraphQLScalarType, value: unknown): Value | undefined {
  const read = within<Value>(scalar, value)
  if ("value" in read) return read.value
  remarks.skip(place, `${quoted(value)} ${read.fault}`)
  return undefined
}

/** A calendar date; of an instant its date as it is written. */
export function dateOf(remarks: Remarks, place: string, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined
  return taken(remarks, place, DateOnly, value.replace(/T[\d:.]+(Z|[+-]\d\d:?\d\d)?$/, ""))
}

/** An instant; one without a time zone is taken as UTC. */
export function instantOf(remarks: Remarks, place: string, value: string | undefined): string | undefined {
  if (value === undefined || value === "") return undefined
  const zoned = /(Z|[+-]\d\d:?\d\d)$/i.test(value) ? value : `${value}Z`
  return taken(remarks, place, DateTime, zoned)
}

/** When something was made or done: nothing to remark on when a file does not know it, or not in a form that can be read. */
export function pastInstantOf(value: string | undefined, now: Date): string | undefined {
  if (value === undefined || value === "") return undefined
  const read = within<string>(DateTime, value)
  return "value" in read && Date.parse(read.value) <= now.getTime() ? read.value : undefined
}

/** A recurrence; half of one is none. */
export function recurrenceOf(
  remarks: Remarks,
  place: string,
  type: string | undefined,
  count: unknown,
): { recurrenceType?: string; recurrenceCount?: number } {
  if (type === undefined && count == null) return {}
  if (type === undefined || !PERIODS.includes(type) || count == null) {
    remarks.skip(place, `a recurrence needs a type, one of ${PERIODS.join(", ")}, and a count`)
    return {}
  }
  const times = taken<number>(remarks, place, RecurrenceCount, count)
  return times === undefined ? {} : { recurrenceType: type, recurrenceCount: times }
}

/** Names for what has none in its file: what it is called, and the how many-th of that name it is. */
export function ordinals(): (name: string) => string {
  const seen = new Map<string, number>()
  return (name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `${name}#${count}`
  }
}

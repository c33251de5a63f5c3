import { createHash } from "node:crypto"
import type { GraphQLScalarType } from "graphql"
import { z } from "zod"
import { DateOnly, DateTime, Refusal } from "../scalars/scalars.js"
import { RecurrenceCount } from "../scalars/task-scalars.js"
import type { Remarks } from "./parsed-import.js"

// What a file says, brought within the limits of the service: nothing is lost without a remark.

const MAX_TITLE_LENGTH = 255
/** As much as the body of a request holds: no client could have written more, or change it. */
const MAX_TEXT_BYTES = 1_048_576
const MAX_QUOTE_LENGTH = 100
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

/** Members that a shape knows and that say nothing to an import: ids and times of the service that the file comes from. */
export const unused = (...names: readonly string[]): Record<string, z.ZodOptional<z.ZodUnknown>> =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null ? Object.keys(value).length === 0 : !value

/** Remarks on each member of a row that its shape does not know, unless it is empty: nothing is dropped silently. */
export function remarkUnknown(remarks: Remarks, place: string, shape: z.ZodObject, row: object): void {
  for (const [name, value] of Object.entries(row))
    if (!Object.hasOwn(shape.shape, name) && !name.includes("@odata.") && !isEmpty(value))
      remarks.skip(`${place}.${shortened(name)}`, "is not known to this import")
}

/** Reads one row; undefined, with a remark that names the member at fault, when it is not of that shape. */
export function readRow<Shape extends z.ZodObject>(
  remarks: Remarks,
  place: string,
  shape: Shape,
  row: unknown,
): z.output<Shape> | undefined {
  const { data, error } = shape.safeParse(row)
  if (error === undefined) {
    remarkUnknown(remarks, place, shape, row as object)
    return data
  }
  const [{ path, message }] = error.issues as [z.core.$ZodIssue]
  remarks.skip([place, ...path].join("."), path.length === 0 ? "must be an object" : message)
  return undefined
}

/** Text that can be stored: NUL and halves of characters go, and what no request could hold, with a remark. */
export function storable(remarks: Remarks, place: string, value: string): string {
  const clean = value.replace(/[\0\p{Surrogate}]/gu, "")
  if (clean !== value) remarks.change(place, "holds characters that are none; they were taken out")
  if (clean.length <= MAX_TEXT_BYTES / 3 || Buffer.byteLength(clean) <= MAX_TEXT_BYTES) return clean
  remarks.change(place, `has more than ${MAX_TEXT_BYTES} bytes; the rest was cut off`)
  const { read } = new TextEncoder().encodeInto(clean, new Uint8Array(MAX_TEXT_BYTES))
  return clean.slice(0, read)
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
  const characters = clean.length > MAX_TITLE_LENGTH ? [...clean.slice(0, 2 * MAX_TITLE_LENGTH + 1)] : []
  if (characters.length <= MAX_TITLE_LENGTH) return { title: clean, whole: undefined }
  return { title: `${characters.slice(0, MAX_TITLE_LENGTH - 1).join("")}…`, whole: clean }
}

/** The title of what has no notes: what does not fit is cut off, with a remark. */
export function shortTitleOf(remarks: Remarks, place: string, value: string | undefined): string {
  const { title, whole } = titleOf(remarks, place, value)
  if (whole !== undefined) remarks.change(place, `has more than ${MAX_TITLE_LENGTH} characters; the rest was cut off`)
  return title
}

function within<Value>(scalar: GraphQLScalarType, value: unknown): { value: Value } | { fault: string } {
  try {
    return { value: scalar.parseValue(value) as Value }
  } catch (error) {
    return { fault: error instanceof Refusal ? error.reason : (error as Error).message }
  }
}

const shortened = (text: string): string =>
  text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text

/** What stands in a remark for a value: of what holds others only that it does, and not more than can be read. */
export function quoted(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shortened(value))
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

/**
 * Names for what has no id in its file: all that it says, and the how many-th it is that says just that. What differs in
 * anything has another name, so that one is never taken for the other because they are called alike.
 */
export function ordinals(): (...said: readonly unknown[]) => string {
  const seen = new Map<string, number>()
  return (...said) => {
    const name = createHash("sha256").update(JSON.stringify(said)).digest("base64url")
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `${name}#${count}`
  }
}

/** Tells whether an id of a kind of rows is new in its file. One that another row has already is a remark: only one of them can be found by it. */
export function identities(remarks: Remarks): (place: string, kind: string, id: string) => boolean {
  const seen = new Set<string>()
  return (place, kind, id) => {
    const before = seen.size
    if (seen.add(`${kind} ${id}`).size > before) return true
    remarks.skip(`${place}.id`, `${quoted(id)} is the id of another row of this file`)
    return false
  }
}

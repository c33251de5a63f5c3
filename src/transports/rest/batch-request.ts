import type { Dialect } from "../../context.js"
import {
  BadRequest,
  MethodNotAllowed,
  MissingParameter,
  NotFound,
  type Problem,
  type Violations,
} from "../../errors.js"
import { referencesIn, resolveBody, resolvePath } from "./references.js"
import { BASE, type Place } from "./rest-parts.js"
import type { Row } from "./row.js"
import type { Found } from "./row-finder.js"

/** Most requests that one batch holds. */
export const MAX_REQUESTS = 100

const METHODS: readonly string[] = ["GET", "POST", "PATCH", "PUT", "DELETE"]
/** No body of the interface is as deep. */
const DEEPEST = 32
const ID = /^[\w-]{1,64}$/

/** A request of a batch, as far as it is known before the first is run. */
export type Inner = {
  readonly id: string
  /** What answers it; a problem where nothing does. */
  readonly row: Row | Problem
  readonly method: string
  /** Below `/api/v1`, with its query. */
  readonly path: string
  readonly body: unknown
  /** The earlier requests whose answers it refers to. */
  readonly refersTo: readonly string[]
}

/** What a client asks for at once. */
export type Batch = { readonly isAtomic: boolean; readonly requests: readonly Inner[] }

/** A refusal of a batch for the sake of one of its requests. */
export class Blamed extends Error {
  constructor(
    readonly problem: Problem,
    readonly request: string,
  ) {
    super(problem.message)
  }
}

/** Finds what answers a method and path. */
export type Find = (method: string, path: string) => Found<Place> | undefined

/**
 * Reads the body of a batch. What cannot be run as it stands is refused before anything is: in both modes alike.
 * @throws BadRequest, MissingParameter, and Blamed where one request is at fault
 */
export function readBatch(body: unknown, dialect: Dialect, find: Find): Batch {
  if (!isObject(body)) throw new BadRequest("The body must be a JSON object.")
  const { atomic = true, requests } = body
  const violations: Violations = {}
  if (atomic !== null && typeof atomic !== "boolean") violations.atomic = ["must be a boolean"]
  if (requests === undefined || requests === null) violations.requests = ["required"]
  else if (!Array.isArray(requests)) violations.requests = ["must be an array"]
  if (Object.keys(violations).length > 0) throw new MissingParameter(violations)
  const asked = requests as unknown[]
  if (asked.length < 1 || asked.length > MAX_REQUESTS)
    throw new BadRequest(`A batch holds 1 to ${MAX_REQUESTS} requests, and this one ${asked.length}.`, {
      requests: [`must be 1 to ${MAX_REQUESTS}`],
    })
  const ids = idsOf(asked)
  const inner = asked.map((one, place) => readInner(one as Record<string, unknown>, place, ids, dialect, find))
  return { isAtomic: atomic !== false, requests: inner }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The place of each id. */
function idsOf(asked: readonly unknown[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, one] of asked.entries()) {
    const where = `requests[${place}]`
    if (!isObject(one))
      throw new BadRequest(`${where} must be an object.`, { requests: [`[${place}] must be an object`] })
    const { id } = one
    if (typeof id !== "string" || !ID.test(id))
      throw new BadRequest(`${where}.id must be 1 to 64 letters, digits, _ or -.`, {
        requests: [`[${place}].id must be 1 to 64 letters, digits, _ or -`],
      })
    if (places.has(id))
      throw new Blamed(new BadRequest(`The id ${id} is used twice.`, { id: ["must be of one request only"] }), id)
    places.set(id, place)
  }
  return places
}

function readInner(
  { id, method, path, body }: Record<string, unknown>,
  place: number,
  places: ReadonlyMap<string, number>,
  dialect: Dialect,
  find: Find,
): Inner {
  const name = id as string
  const blame = (problem: Problem): never => {
    throw new Blamed(problem, name)
  }
  const violations: Violations = {}
  if (typeof method !== "string") violations.method = [method === undefined ? "required" : "must be a string"]
  if (typeof path !== "string") violations.path = [path === undefined ? "required" : "must be a string"]
  if (Object.keys(violations).length > 0) return blame(new MissingParameter(violations))
  const [verb, whole] = [method as string, path as string]
  if (!METHODS.includes(verb)) return blame(badMember("method", `must be one of ${METHODS.join(", ")}`))
  if (!whole.startsWith(`${BASE}/`)) return blame(badMember("path", `must begin with ${BASE}/`))
  const below = whole.slice(BASE.length)
  if (isDeep(body)) return blame(badMember("body", `must not be deeper than ${DEEPEST} levels`))
  const references = {
    path: referencesIn((answerTo) => resolvePath(below, answerTo)),
    body: referencesIn((answerTo) => resolveBody(body, answerTo)),
  }
  for (const [member, others] of Object.entries(references))
    for (const other of others) {
      const fault = faultOfReference(other, places.get(other), place)
      if (fault !== undefined) return blame(badMember(member, fault))
    }
  const inner = { id: name, method: verb, path: below, body, refersTo: Object.values(references).flat() }
  const found = find(verb, below.split("?", 1)[0] as string)
  if (found === undefined) return { ...inner, row: new NotFound() }
  if (found.handler === undefined) return { ...inner, row: new MethodNotAllowed(found.allowed) }
  const { row } = found.handler
  if (row === undefined) return blame(badMember("path", "must be neither a batch nor a stream"))
  if (row.asksNetwork(dialect))
    return blame(badMember("path", "must not be one that asks the storage or the network: send it by itself"))
  return { ...inner, row }
}

const isDeep = (value: unknown, depth = 0): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === DEEPEST || Object.values(value).some((one) => isDeep(one, depth + 1)))

const badMember = (member: string, text: string): BadRequest =>
  new BadRequest(`${member} ${text}.`, { [member]: [text] })

function faultOfReference(other: string, at: number | undefined, place: number): string | undefined {
  if (at === undefined) return `refers to ${other}, which is no request of this batch`
  if (at === place) return "must not refer to the answer to itself"
  return at > place ? `refers to ${other}, which comes later` : undefined
}

import { getNamedType, isInputObjectType } from "graphql"
import type { ResponseSchema } from "./answer.schema.js"
import { type JsonSchema, schemaNamed } from "./json-schema.js"
import { exampleBody, type ProblemName, samples } from "./problems.js"
import type { RequestShape } from "./request.schema.js"
import type { Row } from "./row.js"

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** The schema in which an error of a kind comes; kinds of one type share it. */
const schemaName = (name: ProblemName): string =>
  name === "RefusedInWords" ? name : `${pascal(samples[name].problem.kind.type.replace(/_error$/, ""))}Error`

const pascal = (text: string): string =>
  text.replace(/(^|_)([a-z])/g, (_, _gap: string, letter: string) => letter.toUpperCase())

/** The schemas of all errors that an operation may answer with. */
export function problemSchemas(): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {}
  for (const name of ["RevisionConflict", ...Object.values(RESPONSES).flat()] as const)
    schemas[schemaName(name)] ??= schemaOf(name)
  return schemas
}

const VIOLATIONS = {
  type: "array",
  items: { type: "string" },
  description: "What is wrong with the parameter of this name, and what would be right.",
}

const CURRENT = {
  type: "object",
  description: "What is stored, as its GET shows it, when the revision is stale.",
  additionalProperties: true,
}

const SCOPE = { type: "string", description: "All scopes that the request needs, with spaces between them." }

const REQUEST = { type: "string", description: "Of a batch: the request that is to blame." }

function schemaOf(name: ProblemName): JsonSchema {
  if (name === "RefusedInWords")
    return {
      type: "object",
      description: "An error in the format of the retired service.",
      required: ["errors"],
      properties: { errors: { type: "array", minItems: 1, items: { type: "string" } }, request: REQUEST },
    }
  const { error, ...beside } = exampleBody(name) as { error: Record<string, unknown> }
  const { kind } = samples[name].problem
  const details = Object.entries({ ...kind.details }).map(([member, value]) => [
    member,
    member === "scope" ? SCOPE : { const: value },
  ])
  const isAlways = kind.type !== "conflict"
  return {
    type: "object",
    description: `See [what it means](/docs/errors/${kind.type}).`,
    required: ["error", ...Object.keys(beside)],
    properties: {
      error: {
        type: "object",
        required: ["type", "translation_key", "message", ...(isAlways ? details.map(([member]) => member) : [])],
        properties: {
          type: { type: "string", const: error.type, description: "The error's type, for programs." },
          translation_key: {
            type: "string",
            const: error.translation_key,
            description: "As in the retired service.",
          },
          message: { type: "string", description: "What is wrong, for people. Its wording may change." },
          request: REQUEST,
          ...Object.fromEntries(details),
          ...("current" in error && { current: CURRENT }),
        },
        additionalProperties: VIOLATIONS,
      },
      ...Object.fromEntries(Object.entries(beside).map(([member, value]) => [member, { const: value }])),
    },
  }
}

/** Each combination of errors that answers share, under the name of its response. */
const RESPONSES = {
  BadRequest: ["MissingParameter", "BadRequest"],
  BadRequestInWords: ["MissingParameter", "BadRequest", "RefusedInWords"],
  RefusedInWords: ["RefusedInWords"],
  Unauthorized: ["Unauthorized"],
  Forbidden: ["Forbidden"],
  InsufficientScope: ["InsufficientScope"],
  ForbiddenOrInsufficientScope: ["Forbidden", "InsufficientScope"],
  NotFound: ["NotFound"],
  NotFoundOrClosed: ["NotFound", "ClosedParent"],
  KeyReused: ["KeyReused"],
  ResyncRequired: ["ResyncRequired"],
  RevisionConflictOrKeyReused: ["RevisionConflict", "KeyReused"],
  MethodNotAllowed: ["MethodNotAllowed"],
  TooLarge: ["TooLarge"],
  UnsupportedEncoding: ["UnsupportedEncoding"],
  InvalidFields: ["InvalidFields"],
  RateLimited: ["RateLimited"],
  ServerError: ["ServerError"],
  Unavailable: ["Unavailable"],
} as const satisfies Readonly<Record<string, readonly [ProblemName, ...ProblemName[]]>>

/** The answers that operations refer to when something is wrong. */
export const problemResponses = (): Record<string, object> =>
  Object.fromEntries(Object.entries(RESPONSES).map(([name, problems]) => [name, responseOf(problems)]))

function responseOf(names: readonly ProblemName[], description?: string): object {
  // Two problems of one type share a schema.
  const schemas = [...new Set(names.map(schemaName))].map(schemaNamed)
  const waits = names.some((name) => "retryAfterSeconds" in samples[name].problem)
  return {
    description: description ?? names.map((name) => samples[name].when).join(" "),
    headers: {
      "X-Request-Id": header("X-Request-Id"),
      ...(waits && { "Retry-After": header("Retry-After") }),
      ...(names.includes("RateLimited") && {
        RateLimit: header("RateLimit"),
        "RateLimit-Policy": header("RateLimit-Policy"),
      }),
    },
    content: {
      "application/json": {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        examples: Object.fromEntries(
          names.map((name) => [
            samples[name].problem.kind.type + (name === "RefusedInWords" ? "_in_words" : ""),
            { summary: samples[name].when, value: exampleBody(name) },
          ]),
        ),
      },
    },
  }
}

/** The name of such an answer. */
export type ResponseName = keyof typeof RESPONSES

/** Its status. */
export const statusOf = (name: ResponseName): number => samples[RESPONSES[name][0]].problem.kind.status

/** A reference to it. */
export const refer = (name: ResponseName) => ({ $ref: `#/components/responses/${name}` })

/** A stale revision, with what is stored. */
function conflictOver({ schema, example }: ResponseSchema): object {
  const { error } = exampleBody("RevisionConflict") as { error: object }
  const stored = {
    type: "object",
    properties: { error: { type: "object", properties: { current: schema }, additionalProperties: true } },
  }
  return {
    description: samples.RevisionConflict.when,
    headers: { "X-Request-Id": header("X-Request-Id") },
    content: {
      "application/json": {
        schema: { allOf: [schemaNamed(schemaName("RevisionConflict")), stored] },
        examples: {
          conflict: {
            summary: samples.RevisionConflict.when,
            value: { error: { ...error, current: example } },
          },
        },
      },
    },
  }
}

/** Every refusal that a row may answer with, by status. `shown` is what the row changes. */
export function refusalsOf(
  { route, field }: Row,
  { namesThings, hasLimits, parameters }: RequestShape,
  shown: ResponseSchema | undefined,
) {
  const { method, options } = route
  const hasBody = method !== "GET"
  const needsRevision = (method === "PATCH" || method === "DELETE") && takesRevision(field, parameters)
  const isAllInWords = options.refusesInWords === true
  return {
    400: refer(isAllInWords ? "RefusedInWords" : options.mayRefuseInWords ? "BadRequestInWords" : "BadRequest"),
    401: refer("Unauthorized"),
    403:
      options.forbidden === undefined
        ? refer("InsufficientScope")
        : responseOf(["Forbidden", "InsufficientScope"], `${options.forbidden} ${samples.InsufficientScope.when}`),
    ...(namesThings && { 404: refer(method === "POST" ? "NotFoundOrClosed" : "NotFound") }),
    ...(method === "POST" && { 409: refer("KeyReused") }),
    ...(needsRevision && !isAllInWords && shown && { 409: conflictOver(shown) }),
    ...(options.waitsWhile && { 410: refer("ResyncRequired") }),
    413: refer("TooLarge"),
    ...(hasBody && { 415: refer("UnsupportedEncoding") }),
    ...(hasLimits && { 422: refer("InvalidFields") }),
    429: refer("RateLimited"),
    500: refer("ServerError"),
    503: refer("Unavailable"),
  }
}

function takesRevision({ args }: Row["field"], parameters: readonly object[]): boolean {
  const names = parameters.map((one) => (one as { name: string }).name)
  const inputs = args.flatMap(({ type }) => {
    const named = getNamedType(type)
    return isInputObjectType(named) ? Object.keys(named.getFields()) : []
  })
  return names.includes("revision") || inputs.includes("revision")
}

import { type GraphQLSchema, Kind } from "graphql"
import { declaredNeeds } from "../../access/needs.js"
import type { Dialect } from "../../context.js"
import { inRestWords } from "../rest/wire-case.js"
import { answerOf, type ResponseSchema } from "./answer.schema.js"
import { counterpartOf, explorerLink } from "./counterparts.js"
import type { JsonSchema } from "./json-schema.js"
import { refusalsOf } from "./refusals.js"
import { requestOf } from "./request.schema.js"
import type { Row } from "./row.js"
import { securityOf } from "./security.js"

/** An operation of OpenAPI, as far as we look at it ourselves. */
export type Operation = {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly responses: Readonly<Record<string, object>>
} & Readonly<Record<string, unknown>>

const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** Says in OpenAPI what a row does; what it names goes into `schemas`. `shown` is the row that shows what it changes. */
export function operationOf(
  schema: GraphQLSchema,
  row: Row,
  schemas: Map<string, JsonSchema>,
  shown: Row | undefined,
): Operation {
  const { route, field, tag } = row
  const { method } = route
  const request = requestOf(schema, row, schemas)
  const about = inRestWords(descriptionOf(row))
  const counterpart = counterpartOf(row)
  return {
    operationId: field.name,
    tags: [tag],
    summary: firstSentence(about),
    description: [
      about,
      ...dialectNotes(row),
      `GraphQL: [\`${field.name}\`](${explorerLink(counterpart, request.variables)}).`,
    ].join("\n\n"),
    security: securityOf(declaredNeeds(field) ?? []),
    parameters: [
      ...request.parameters,
      parameter("X-Request-Id"),
      ...(method === "POST" ? [parameter("Idempotency-Key")] : []),
      ...(isKept(route) ? [parameter("If-None-Match")] : []),
      ...(route.options.waitsWhile ? [parameter("Prefer")] : []),
      ...(method === "GET" ? [] : [parameter("X-Client-Request-Id")]),
    ],
    ...(request.requestBody !== undefined && { requestBody: request.requestBody }),
    responses: {
      ...successes(schema, row, schemas),
      ...refusalsOf(row, request, shown && answerOf(schema, shown, schemas)),
    },
    "x-graphql-operation": counterpart,
    "x-graphql-variables": request.variables,
  }
}

/** Whether clients may keep its answers and ask each time whether they still hold. */
const isKept = ({ method, options }: Row["route"]): boolean => method === "GET" && !options.isNeverKept

/** What the schema says of a root field, without what {@link nameCounterparts} added. */
const descriptionOf = ({ field }: Row): string =>
  (field.extensions.about as string | undefined) ?? field.description ?? ""

const firstSentence = (text: string): string => /^.+?[.;:](?= |$)/.exec(text)?.[0].replace(/[.;:]$/, "") ?? text

/** What is different for applications of the retired service's dialect. */
function dialectNotes(row: Row): string[] {
  const { route, node, wunderlist, field } = row
  const notes: string[] = []
  if (route.status !== route.wunderlistStatus)
    notes.push(`answers ${route.wunderlistStatus} instead of ${route.status}`)
  if (route.options.inArray) notes.push("answers the object itself instead of an array that holds it")
  for (const { name, description } of wunderlist === undefined ? [] : field.args) {
    const [ours, theirs] = [node, wunderlist!.node].map((one) => one.arguments?.find((arg) => arg.name.value === name))
    const isAsked = ours?.value.kind === Kind.VARIABLE
    if (isAsked && theirs === undefined) notes.push(`requires no \`${name}\``)
    else if (theirs?.value.kind === Kind.BOOLEAN && theirs.value.value && !isAsked)
      notes.push(`behaves as if this were true: ${lowerFirst(inRestWords(description ?? ""))}`)
  }
  const strings = route.options.revisionMayBeString ? ["The `revision` in a body may be a string."] : []
  return [...strings, ...notes.map((note) => `For an application of the dialect \`wunderlist\` it ${note}.`)].map(
    (note) => note.replace(/\.\.$/, "."),
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

function successes(graphql: GraphQLSchema, row: Row, schemas: Map<string, JsonSchema>): Record<string, object> {
  const { route } = row
  const { status, wunderlistStatus, method } = route
  if (status === 204) return { 204: { description: "Deleted. There is no body.", headers: headersOf(route) } }
  const answer = withRevision(answerOf(graphql, row, schemas), method)
  const success = (content: object, dialect?: Dialect) => ({
    description: dialect === undefined ? DESCRIPTIONS[method] : `${DESCRIPTIONS[method]} Dialect \`${dialect}\`.`,
    headers: headersOf(route),
    content: { "application/json": content },
    ...(dialect !== undefined && { "x-dialect": dialect }),
  })
  const unchanged: Record<string, object> = isKept(route) ? { 304: { $ref: "#/components/responses/NotModified" } } : {}
  if (route.options.inArray) return { [status]: success(inArrayOrNot(answer)), ...unchanged }
  if (status === wunderlistStatus) return { [status]: success(answer), ...unchanged }
  return { [status]: success(answer, "spec"), [wunderlistStatus]: success(answer, "wunderlist"), ...unchanged }
}

const DESCRIPTIONS = {
  GET: "The result.",
  POST: "Created.",
  PATCH: "Updated.",
  DELETE: "Deleted.",
} as const

const headersOf = (route: Row["route"]) => ({
  "X-Request-Id": header("X-Request-Id"),
  ...(isKept(route) && { ETag: header("ETag") }),
  ...(route.options.isPage && { Link: header("Link") }),
  ...(route.options.waitsWhile && { "Preference-Applied": header("Preference-Applied") }),
  ...Object.fromEntries(["RateLimit", "RateLimit-Policy"].map((name) => [name, header(name)])),
})

/** The dialects as two alternatives, each with the name of its own. */
const inArrayOrNot = ({ schema, example }: ResponseSchema) => ({
  schema: {
    oneOf: [
      { title: "spec", type: "array", minItems: 1, maxItems: 1, items: schema },
      { title: "wunderlist", ...schema },
    ],
  },
  examples: {
    spec: { summary: "Dialect `spec`", value: [example] },
    wunderlist: { summary: "Dialect `wunderlist`", value: example },
  },
})

/** Revisions begin at 1 and grow, in examples too: an update sends 3. */
function withRevision({ schema, example }: ResponseSchema, method: string): ResponseSchema {
  const isThing = typeof example === "object" && example !== null && "revision" in example
  const revision = { POST: 1, PATCH: 4 }[method]
  return isThing && revision !== undefined ? { schema, example: { ...example, revision } } : { schema, example }
}

/** The same operation at another method or path. */
export const aliasOf = (operation: Operation, suffix: string, note: string): Operation => ({
  ...operation,
  operationId: `${operation.operationId}${suffix}`,
  summary: `${operation.summary} (${note})`,
  description: `The same as \`${operation.operationId}\`.\n\n${operation.description}`,
  "x-alias-of": operation.operationId,
})

import { readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

/** What was asked over REST, and what came. */
export type Exchange = {
  readonly method: string
  /** From `/api` on, without a query. */
  readonly path: string
  readonly sent: unknown
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
  readonly text: string
  /** The dialect of the application that asks; undefined when a test does not say. */
  readonly dialect: string | undefined
}

type Reference = { readonly $ref: string }
type Response = {
  readonly headers?: Readonly<Record<string, Reference | { required?: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: { readonly oneOf?: readonly object[] } }>>
  readonly "x-dialect"?: string
}
type Operation = {
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, Response | Reference>>
}

const DOCUMENT = "openapi.json"
const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"))
closeObjects(document.components.schemas)
const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, validateSchema: false, allErrors: true })
// vitest gives a CommonJS module as its default, TypeScript sees the module itself.
;(addFormats as unknown as (instance: Ajv2020) => void)(ajv)
ajv.addSchema(document, DOCUMENT)

/** A reader tolerates unknown members; here each must be declared. */
function closeObjects(schemas: Record<string, Record<string, unknown>>): void {
  for (const [name, schema] of Object.entries(schemas))
    if (schema.properties !== undefined && !name.endsWith("Input")) schema.additionalProperties ??= false
}

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
}))
// A path without a parameter comes before one that would take it too.
templates.sort((a, b) => Number(a.template.includes("{")) - Number(b.template.includes("{")))

const pointer = (...steps: string[]) =>
  steps.map((step) => step.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D"))

const compiled = new Map<string, ValidateFunction>()
function validatorAt(path: readonly string[]): ValidateFunction {
  const key = path.join("/")
  const validate = compiled.get(key) ?? ajv.compile({ $ref: `${DOCUMENT}#/${key}` })
  compiled.set(key, validate)
  return validate
}

const resolved = <Value extends object>(
  value: Value | Reference,
): { at: readonly string[] | undefined; value: Value } => {
  if (!("$ref" in value)) return { at: undefined, value }
  const at = value.$ref.slice(2).split("/")
  return { at, value: at.reduce((node: any, step) => node[step], document) as Value }
}

/** An error at a path or method that no operation has. */
const isProblem = (body: any): boolean =>
  typeof body?.error?.type === "string" &&
  typeof body.error.translation_key === "string" &&
  typeof body.error.message === "string"

/**
 * Holds an answer against the OpenAPI document: its status, its body, the headers that are always there; and the body of the
 * request, if that was accepted.
 * @throws Error that says what the document does not
 */
export function checkExchange(exchange: Exchange): void {
  const { method, path, status } = exchange
  if (method === "OPTIONS") return
  const found = templates.find(({ pattern }) => pattern.test(path))
  const verb = method === "HEAD" ? "get" : method.toLowerCase()
  const operation = found && (document.paths[found.template][verb] as Operation | undefined)
  if (found === undefined || operation === undefined) {
    if (status < 400 || (method !== "HEAD" && !isProblem(exchange.body)))
      throw contradiction(exchange, "no such operation")
    return
  }
  const answer = operation.responses[status]
  if (answer === undefined) throw contradiction(exchange, `no answer with ${status} is described`)
  const place = ["paths", found.template, verb]
  checkAnswer(exchange, answer, [...place, "responses", String(status)])
  const { sent } = exchange
  if (status < 300 && operation.requestBody !== undefined && typeof sent === "object")
    hold(exchange, sent, [...place, "requestBody", "content", "application/json", "schema"], "accepted what was sent, ")
}

function checkAnswer(exchange: Exchange, answer: Response | Reference, place: readonly string[]): void {
  const { at = place, value } = resolved(answer)
  const { dialect, headers, body, text, method } = exchange
  if (dialect !== undefined && value["x-dialect"] !== undefined && value["x-dialect"] !== dialect)
    throw contradiction(exchange, `that is the answer of the dialect ${value["x-dialect"]}`)
  for (const [name, one] of Object.entries(value.headers ?? {}))
    if (resolved(one).value.required && !headers.has(name))
      throw contradiction(exchange, `the header ${name} is missing`)
  if (method === "HEAD") return
  const content = value.content?.["application/json"]
  if (content === undefined) {
    if (text !== "") throw contradiction(exchange, "no body is described")
    return
  }
  const alternatives = content.schema.oneOf?.findIndex((one) => (one as { title?: string }).title === dialect) ?? -1
  const ofDialect = alternatives === -1 ? [] : ["oneOf", String(alternatives)]
  hold(exchange, body, [...at, "content", "application/json", "schema", ...ofDialect], "")
}

/** What a webhook was posted that the document does not say; undefined when all is well. */
export function faultOfDelivery(headers: IncomingHttpHeaders, body: unknown): string | undefined {
  const { parameters } = document.webhooks.delivery.post as { parameters: { name: string }[] }
  const missing = parameters.find(({ name }) => headers[name] === undefined)
  if (missing !== undefined) return `A delivery has no header ${missing.name}.`
  const validate = validatorAt(["components", "schemas", "Delivery"])
  if (validate(body)) return undefined
  return `A delivery contradicts openapi.json: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`
}

function hold(exchange: Exchange, value: unknown, place: readonly string[], what: string): void {
  const validate = validatorAt(pointer(...place))
  if (validate(value)) return
  throw contradiction(exchange, what + ajv.errorsText(validate.errors, { dataVar: "body" }))
}

const contradiction = ({ method, path, status, sent, text }: Exchange, what: string): Error =>
  new Error(
    `${method} ${path} answered ${status}, which contradicts openapi.json (npm run schema prints it anew): ${what}
sent: ${JSON.stringify(sent)?.slice(0, 500)}
came: ${text.slice(0, 1_000)}`,
  )

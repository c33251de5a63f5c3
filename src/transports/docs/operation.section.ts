import { type Html, html, type Part } from "../pages/html.js"
import { follow, type OpenApi } from "./document.js"
import type { JsonSchema } from "./json-schema.js"
import { markdown } from "./markdown.js"
import type { Operation } from "./operation.js"

/** An operation and where it is. */
export type Place = {
  readonly path: string
  readonly method: string
  readonly operation: Operation
  /** Other routes that do the same: `PUT /api/v1/lists/{id}`. */
  readonly aliases: readonly string[]
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}
type Content = {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}
type ResponseObject = { readonly description: string; readonly content?: Readonly<Record<string, Content>> }
type At = (path: string) => string

/** One operation: its parameters, its responses, and a form that sends it. */
export function operationSection(document: OpenApi, place: Place, at: At): Html {
  const { path, method, operation, aliases } = place
  const id = operation.operationId
  const parameters = ((operation.parameters ?? []) as unknown[]).map((one) => follow<Parameter>(document, one))
  const body = (operation.requestBody as { content: Record<string, Content> } | undefined)?.content["application/json"]
  const asked = parameters.filter((one) => one.in !== "header")
  const headers = parameters.filter((one) => one.in === "header").map(({ name }) => name)
  const canBeTried = operation["x-graphql-operation"] !== undefined
  return html`<article class="op" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a href="#${id}">${operation.summary}</a></h3>
<p><span class="verb ${method}">${method.toUpperCase()}</span> <code>${path}</code>${aliases.map((alias) => html` <span class="quiet small">also <code>${alias}</code></span>`)}</p>
${markdown(withoutSummary(operation), at)}
${asked.length > 0 && table("Parameters", asked.map(parameterRow))}
${body !== undefined && html`${table("Body", membersOf(document, body.schema))}${code(body.example)}`}
${canBeTried && html`<details><summary>curl</summary><pre>${curlOf(document, place, asked, body)}</pre></details>`}
<h4>Responses</h4>${Object.entries(operation.responses).map(([status, one]) => responseOf(status, follow<ResponseObject>(document, one)))}
<ul>${Object.entries(operation.responses).map(([status, one]) => refusal(status, follow<ResponseObject>(document, one), at))}</ul>
${headers.length > 0 && html`<p class="quiet small">Optional headers: ${headers.map((name, index) => html`${index > 0 && ", "}<code>${name}</code>`)}.</p>`}
${canBeTried && tryForm(place, asked, body)}
</article>`
}

/** The description without its first sentence, which is the heading. */
const withoutSummary = ({ summary, description }: Operation): string => {
  const text = description ?? ""
  return text.startsWith(`${summary}.`) ? text.slice(summary.length + 1).trimStart() : text
}

const code = (value: unknown): Html => html`<pre>${JSON.stringify(value, null, 2)}</pre>`

const table = (heading: string, rows: Part): Html => html`<h4>${heading}</h4><table>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table>`

const row = (name: string, isRequired: boolean, schema: JsonSchema, where: string, text: unknown): Html =>
  html`<tr><th scope="row"><code>${name}</code>${isRequired && html` <span class="required">required</span>`}</th><td>${typeOf(schema)}${where}</td><td>${markdown(String(text ?? ""), (path) => path)}</td></tr>`

const parameterRow = (one: Parameter): Html =>
  row(one.name, one.required, one.schema, `, in the ${one.in}`, one.description)

function membersOf(document: OpenApi, schema: JsonSchema): Html[] {
  const { properties = {}, required = [] } = follow<{ properties?: Record<string, JsonSchema>; required?: string[] }>(
    document,
    schema,
  )
  return Object.entries(properties).map(([name, one]) => row(name, required.includes(name), one, "", one.description))
}

/** A schema in a few words: `integer, from 1 to 10000`. */
function typeOf(schema: JsonSchema): string {
  const { type, enum: values, minimum, maximum, items, format } = schema
  const types = [type].flat().filter((one) => one !== "null")
  if (Array.isArray(values)) return values.filter((one) => one !== null).join(" · ")
  if (types[0] === "array") return `array of ${typeOf((items ?? {}) as JsonSchema)}`
  const isShown = minimum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && maximum !== undefined
  return `${types.join(" or ")}${format === "date" ? " (date)" : ""}${isShown ? `, ${minimum} to ${maximum}` : ""}`
}

function responseOf(status: string, { description, content }: ResponseObject): Html | undefined {
  if (!status.startsWith("2")) return undefined
  const { example, examples } = Object.values(content ?? {})[0] ?? {}
  const shown = examples ? Object.values(examples) : example === undefined ? [] : [{ summary: "", value: example }]
  return html`<p><strong>${status}</strong> ${markdownLine(description)}</p>${shown.map(
    ({ summary, value }) =>
      html`${summary !== "" && html`<p class="quiet small">${markdownLine(summary)}</p>`}${code(value)}`,
  )}`
}

/** A paragraph's content without the paragraph. */
const markdownLine = (text: string): string => text.replaceAll("`", "")

function refusal(status: string, { description, content }: ResponseObject, at: At): Html | undefined {
  if (status.startsWith("2")) return undefined
  const examples = Object.values(content?.["application/json"]?.examples ?? {})
  const types = [...new Set(examples.map(({ value }) => (value as { error?: { type?: string } }).error?.type))]
  return html`<li><strong>${status}</strong> ${types
    .filter((type) => type !== undefined)
    .map(
      (type) => html`<a href="${at(`/docs/errors/${type}`)}"><code>${type}</code></a> `,
    )}${markdownLine(description)}</li>`
}

/** A line for a shell that has the credentials in CLIENT_ID and TOKEN, as the README's first call leaves them. */
function curlOf(document: OpenApi, place: Place, asked: readonly Parameter[], body: Content | undefined): string {
  const [server] = document.servers as readonly { readonly url: string }[]
  const needed = asked.filter((one) => one.in === "query" && (one.required || one.name === "task_id"))
  const query = needed.map((one) => `${one.name}=${encodeURIComponent(String(one.example))}`).join("&")
  const path = asked
    .filter((one) => one.in === "path")
    .reduce((text, one) => text.replace(`{${one.name}}`, String(one.example)), place.path)
  const method = place.method.toUpperCase()
  const sent =
    body && `-H "Content-Type: application/json" -d '${JSON.stringify(body.example).replaceAll("'", "'\\''")}'`
  const verb = method === "GET" || (method === "POST" && body) ? "" : `-X ${method} `
  return [
    `curl ${verb}"${server?.url}${path}${query && `?${query}`}"`,
    '-H "X-Client-ID: $CLIENT_ID" -H "X-Access-Token: $TOKEN"',
    sent,
  ]
    .filter(Boolean)
    .join(" \\\n  ")
}

function tryForm({ path, method, operation }: Place, asked: readonly Parameter[], body: Content | undefined): Html {
  const id = operation.operationId
  return html`<details class="try"><summary>Try it</summary><form data-method="${method.toUpperCase()}" data-path="${path}" aria-label="Try: ${operation.summary}">
${
  asked.length > 0 &&
  html`<div class="grid">${asked.map((one) => {
    const name = `${id}-${one.name}`
    return html`<div class="field"><label for="${name}">${one.name}</label><input id="${name}" name="${one.name}" data-in="${one.in}" placeholder="${String(one.example)}"${one.required && html` required`} autocomplete="off"></div>`
  })}</div>`
}${
  body !== undefined &&
  html`<div class="field"><label for="${id}-body">Body</label><textarea id="${id}-body" name="body" spellcheck="false" rows="8">${JSON.stringify(body.example, null, 2)}</textarea></div>`
}<button class="main" type="submit" disabled>Send</button><p class="answer-line" role="status"></p><pre hidden></pre></form></details>`
}

import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
} from "graphql"
import { html } from "../pages/html.js"
import { explorerLink } from "./counterparts.js"
import type { OpenApi } from "./document.js"
import type { Sheet } from "./frame.js"
import { markdown } from "./markdown.js"
import type { Operation } from "./operation.js"

type Counterpart = { readonly method: string; readonly path: string; readonly operation: Operation }

/** Every root field of the schema with its REST operation, and a link that opens it in the explorer. */
export function graphqlPage(schema: GraphQLSchema, { paths }: OpenApi, at: (path: string) => string): Sheet {
  const counterparts = new Map<string, Counterpart>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation["x-graphql-operation"] !== undefined && operation["x-alias-of"] === undefined)
        counterparts.set(operation.operationId, { method, path, operation })
  const roots: [string, GraphQLObjectType | null | undefined][] = [
    ["query", schema.getQueryType()],
    ["mutation", schema.getMutationType()],
    ["subscription", schema.getSubscriptionType()],
  ]
  return {
    title: "GraphQL",
    body: html`${markdown(
      "All data of the [REST interface](/docs), nested as you request it, at `/graphql`; live events over a WebSocket, or as server-sent events, at the same address. The [explorer](/graphql) shows every type; [schema.graphql](/schema.graphql) is the same as text.",
      at,
    )}
${roots.map(([kind, root]) => {
  const fields = Object.values(root?.getFields() ?? {}).sort((a, b) => a.name.localeCompare(b.name))
  return html`<h2 id="${kind}">${kind}</h2><table>
<thead><tr><th scope="col">Field</th><th scope="col">REST</th><th scope="col">Description</th></tr></thead><tbody>
${fields.map((field) => fieldRow(kind, field, counterparts.get(field.name), at))}</tbody></table>`
})}`,
  }
}

function fieldRow(
  kind: string,
  field: GraphQLField<unknown, unknown>,
  counterpart: Counterpart | undefined,
  at: (path: string) => string,
) {
  const document = counterpart?.operation["x-graphql-operation"]
  const variables = counterpart?.operation["x-graphql-variables"]
  const link =
    document === undefined
      ? explorerLink(firstDocument(kind, field), {})
      : explorerLink(document as string, variables as Record<string, unknown>)
  const about = (field.extensions.about as string | undefined) ?? field.description ?? ""
  return html`<tr id="${kind}-${field.name}"><th scope="row"><a href="${at(link)}"><code>${field.name}</code></a></th><td>${
    counterpart &&
    html`<a href="${at(`/docs#${field.name}`)}"><code>${counterpart.method.toUpperCase()} ${counterpart.path}</code></a>`
  }</td><td>${markdown(about, at)}</td></tr>`
}

/** A document that selects the leaves of a field: no arguments, no nested objects. */
function firstDocument(kind: string, field: GraphQLField<unknown, unknown>): string {
  const type = getNamedType(field.type)
  const leaves = isObjectType(type)
    ? Object.values(type.getFields())
        .filter((one) => one.args.length === 0 && isLeafType(getNamedType(one.type)))
        .map((one) => one.name)
    : []
  const needed = field.args.filter(
    (argument) => String(argument.type).endsWith("!") && argument.defaultValue === undefined,
  )
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1)
  const variables = needed.map((one) => `$${one.name}: ${one.type}`).join(", ")
  const passed = needed.map((one) => `${one.name}: $${one.name}`).join(", ")
  const selection = leaves.length > 0 ? ` {\n    ${leaves.join("\n    ")}\n  }` : ""
  return `${kind} ${name}${variables && `(${variables})`} {\n  ${field.name}${passed && `(${passed})`}${selection}\n}`
}

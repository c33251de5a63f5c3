import type { GraphQLSchema } from "graphql"
import { packageVersion } from "../../config/package-root.js"
import type { ResourceRoutes } from "../rest/routes.js"
import { shownBy } from "../rest/stored.js"
import { batchSchemas } from "./batch-route.js"
import { deliveries, deliverySchemas } from "./deliveries.js"
import { graphqlSchemas } from "./graphql-routes.js"
import { INTRODUCTION } from "./introduction.js"
import type { JsonSchema } from "./json-schema.js"
import { openPaths, openTags } from "./open-routes.js"
import { aliasOf, type Operation, operationOf } from "./operation.js"
import { problemResponses, problemSchemas } from "./refusals.js"
import { pathOf, readRow } from "./row.js"
import { SECURITY_SCHEMES, securityOf } from "./security.js"

/** An OpenAPI 3.1 document, as far as we look at it ourselves. */
export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> } & Readonly<Record<string, unknown>>
} & Readonly<Record<string, unknown>>

/** Where `npm start` listens; a node that serves the document names itself instead. */
const DEFAULT_URL = "http://127.0.0.1:4000"

/** Says in OpenAPI what the rows and the schema say, and what is beside them. Nothing in it depends on where or when it is made. */
export function buildOpenApi(schema: GraphQLSchema, resources: readonly ResourceRoutes[], url = DEFAULT_URL): OpenApi {
  const schemas = new Map<string, JsonSchema>()
  const paths: Record<string, Record<string, Operation>> = {}
  const put = (path: string, method: string, operation: Operation) => {
    paths[path] ??= {}
    paths[path][method] = operation
  }
  for (const { name, routes } of resources)
    for (const route of routes) {
      const shown = shownBy(route, routes)
      const shownRow = shown && readRow(schema, name, shown)
      const operation = operationOf(schema, readRow(schema, name, route), schemas, shownRow)
      const path = pathOf(route)
      put(`/api/v1${path}`, route.method.toLowerCase(), operation)
      if (route.method === "PATCH") put(`/api/v1${path}`, "put", aliasOf(operation, "ByPut", "by PUT"))
      if (/^\/files(\/|$)/.test(path)) put(`/api/v2${path}`, route.method.toLowerCase(), aliasOf(operation, "V2", "v2"))
    }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tandem",
      version: packageVersion,
      summary: "Tasks and lists, shared between people.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url, description: url === DEFAULT_URL ? "A node started with `npm start`." : "This service." }],
    security: securityOf([]),
    tags: [...resources.map(({ name, about }) => ({ name, description: about })), ...openTags],
    paths: { ...paths, ...openPaths } as OpenApi["paths"],
    webhooks: deliveries,
    components: {
      schemas: {
        ...Object.fromEntries(schemas),
        ...graphqlSchemas,
        ...batchSchemas,
        ...deliverySchemas,
        ...problemSchemas(),
      },
      responses: { ...problemResponses(), NotModified: NOT_MODIFIED },
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

const header = (description: string, schema: JsonSchema, example: unknown, required = false) => ({
  description,
  required,
  schema,
  example,
})

const HEADERS = {
  "X-Request-Id": header("Identifies the request in the service's log.", { type: "string" }, "6f1c", true),
  ETag: header(
    "Identifies this state of the response: `If-None-Match` of the next request.",
    { type: "string" },
    'W/"12-1k3f9-9x2aa"',
    true,
  ),
  RateLimit: header(
    "The rest of the budget, and the seconds until it is full again.",
    { type: "string" },
    '"default";r=597;t=42',
  ),
  "RateLimit-Policy": header("The budget, and the window in seconds.", { type: "string" }, '"default";q=600;w=60'),
  "Preference-Applied": header("For how long an empty answer is held.", { type: "string" }, "wait=25"),
  Link: header(
    "Where the next page is, if there is one.",
    { type: "string" },
    '<http://127.0.0.1:4000/api/v1/tasks/find?q=milk&after=WyJEVUVf>; rel="next"',
  ),
  "Retry-After": header("The number of seconds to wait.", { type: "integer", minimum: 0 }, 27, true),
}

const NOT_MODIFIED = {
  description: "Nothing has changed since the response that `If-None-Match` identifies.",
  headers: {
    "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" },
    ETag: { $ref: "#/components/headers/ETag" },
  },
}

const inHeader = (name: string, description: string, example: string, maxLength: number) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", maxLength },
  example,
})

const PARAMETERS = {
  "X-Request-Id": inHeader(
    "X-Request-Id",
    "Names the request in the log: letters, digits, `_.:-`.",
    "my-request-1",
    128,
  ),
  "X-Client-Request-Id": inHeader(
    "X-Client-Request-Id",
    "Becomes `created_by_request_id` and `requestId` of events.",
    "5f0c2b8e-4a51-4f6c-9d55-0d5a1f0e6a11",
    255,
  ),
  "Idempotency-Key": inHeader(
    "Idempotency-Key",
    "Makes the request safe to repeat for 24 hours with the same token. `X-Client-Request-Id` does the same for an equal body where it is a UUID.",
    "a-key-of-your-own",
    255,
  ),
  Prefer: inHeader(
    "Prefer",
    "`wait=25` (RFC 7240) holds an answer that would be empty until something changes, for 55 seconds at most.",
    "wait=25",
    1_000,
  ),
  "If-None-Match": inHeader("If-None-Match", "The `ETag` that you have.", 'W/"12-1k3f9-9x2aa"', 1_000),
}

/** The target of a reference; the value itself when it is none. */
export function follow<Value>(document: OpenApi, value: unknown): Value {
  const reference = (value as { $ref?: string }).$ref
  if (reference === undefined) return value as Value
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Value
}

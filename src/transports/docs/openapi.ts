import type { GraphQLSchema } from "graphql"
import { packageVersion } from "../../config/package-root.js"
import type { ResourceRoutes } from "../rest/routes.js"
import { shownBy } from "../rest/stored.js"
import type { OpenApi } from "./document.js"
import { handWritten } from "./hand-written.js"
import type { JsonSchema } from "./json-schema.js"
import { aliasOf, type Operation, operationOf } from "./operation.js"
import { problemResponses, problemSchemas } from "./refusals.js"
import { pathOf, readRow } from "./row.js"
import { securityOf } from "./security.js"

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
  const { info, tags, webhooks, components, ...written } = handWritten()
  const { title, ...about } = info
  return {
    openapi: "3.1.0",
    info: { title, version: packageVersion, ...about },
    servers: [{ url, description: url === DEFAULT_URL ? "A node started with `npm start`." : "This service." }],
    security: securityOf([]),
    tags: [...resources.map(({ name, about }) => ({ name, description: about })), ...tags],
    paths: { ...paths, ...written.paths },
    webhooks,
    components: {
      ...components,
      schemas: { ...Object.fromEntries(schemas), ...components.schemas, ...problemSchemas() },
      responses: { ...problemResponses(), ...components.responses },
    },
  }
}

import { type DocumentNode, type GraphQLSchema, Kind, print } from "graphql"
import type { ResourceRoutes } from "../rest/routes.js"
import { type Row, readRow } from "./row.js"

/** A row's operation as somebody would write it, named after its root field. */
export function counterpartOf({ operation, field }: Row): string {
  const name = field.name.charAt(0).toUpperCase() + field.name.slice(1)
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [{ ...operation, name: { kind: Kind.NAME, value: name } }],
  }
  return print(document)
}

/** The address, seen from the root of the service, that opens an operation in the explorer. */
export function explorerLink(query: string, variables: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams({ query })
  if (Object.keys(variables).length > 0) parameters.set("variables", JSON.stringify(variables, null, 2))
  return `/graphql?${parameters}`
}

/**
 * Adds the REST route of each root field to its description, so that readers of the schema find it, in the
 * explorer too. What the description was before is kept as the extension `about`. Gives the schema.
 */
export function nameCounterparts(schema: GraphQLSchema, resources: readonly ResourceRoutes[]): GraphQLSchema {
  for (const { name, routes } of resources)
    for (const route of routes) {
      const { field } = readRow(schema, name, route)
      const about = field.description ?? ""
      field.extensions = { ...field.extensions, about }
      field.description = `${about}\nREST: [${route.method} /api/v1${route.path}](docs#${field.name})`
    }
  return schema
}

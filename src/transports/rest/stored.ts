import { type GraphQLSchema, parse } from "graphql"
import type { Operations } from "../../operations/operations.js"
import type { Route } from "../../operations/route.js"
import type { ReadStored } from "../../operations/stored.js"
import { readRow } from "../docs/row.js"
import { writerOf } from "./writer.js"

/** The row that shows what another one changes or deletes: the GET of its path. */
export const shownBy = ({ method, path }: Route, routes: readonly Route[]): Route | undefined =>
  method === "PATCH" || method === "DELETE"
    ? routes.find((route) => route.method === "GET" && route.path === path)
    : undefined

type Parts = { readonly schema: GraphQLSchema; readonly operations: Operations; readonly routes: readonly Route[] }

/**
 * Lets each mutation that answers a row of REST read what is stored by the row that shows it, for callers that sent a stale revision,
 * whichever transport they used. (§9)
 */
export function showStored({ schema, operations, routes }: Parts): void {
  for (const route of routes) {
    const shown = shownBy(route, routes)
    if (shown === undefined) continue
    const { field } = readRow(schema, "", route)
    const stored = reader(schema, operations, shown.document)
    field.extensions = { ...field.extensions, stored }
    // What REST only deletes, GraphQL may change (§4 Webhooks).
    const update = schema.getMutationType()?.getFields()[field.name.replace(/^delete/, "update")]
    if (update !== undefined) update.extensions = { ...update.extensions, stored }
  }
}

function reader(schema: GraphQLSchema, operations: Operations, document: string): ReadStored {
  let prepared: { operation: ReturnType<Operations["fixed"]>; write: ReturnType<typeof writerOf> } | undefined
  return async (context, { id }) => {
    prepared ??= { operation: operations.fixed(document), write: writerOf(schema, parse(document)) }
    const { operation, write } = prepared
    const { data, errors } = await operation.run(context, { id })
    const [value] = Object.values(data ?? {})
    if (errors !== undefined || value == null) return undefined
    return { value: value as object, asRest: () => write(value) }
  }
}

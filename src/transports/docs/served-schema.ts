import type { GraphQLSchema } from "graphql"
import { buildSchema } from "../graphql/schema.js"
import { resourceRoutes } from "../rest/routes.js"
import { nameCounterparts } from "./counterparts.js"

let made: GraphQLSchema | undefined

/** The schema that clients see, with the REST route of each root field in its description. All nodes of a process share it. */
export function servedSchema(): GraphQLSchema {
  made ??= nameCounterparts(buildSchema(), resourceRoutes)
  return made
}

import { lexicographicSortSchema, printSchema } from "graphql"
import { buildSchema } from "../graphql/schema.js"
import { resourceRoutes } from "../rest/routes.js"
import { buildOpenApi } from "./openapi.js"
import { nameTwins } from "./twins.js"

// `print.js schema` and `print.js openapi` write what stands in schema.graphql and openapi.json.

const schema = nameTwins(buildSchema(), resourceRoutes)
process.stdout.write(
  process.argv[2] === "openapi"
    ? `${JSON.stringify(buildOpenApi(schema, resourceRoutes), null, 1)}\n`
    : `${printSchema(lexicographicSortSchema(schema))}\n`,
)

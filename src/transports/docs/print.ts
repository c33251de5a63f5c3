import { writeFileSync } from "node:fs"
import { lexicographicSortSchema, printSchema } from "graphql"
import { buildSchema } from "../graphql/schema.js"
import { resourceRoutes } from "../rest/routes.js"
import { buildOpenApi } from "./openapi.js"
import { nameTwins } from "./twins.js"

// `print.js` writes schema.graphql and openapi.json into the working folder; with the name of one of them it prints that.

const schema = nameTwins(buildSchema(), resourceRoutes)
const files: Readonly<Record<string, string>> = {
  "schema.graphql": `${printSchema(lexicographicSortSchema(schema))}\n`,
  "openapi.json": `${JSON.stringify(buildOpenApi(schema, resourceRoutes), null, 1)}\n`,
}

const [asked] = process.argv.slice(2)
if (asked !== undefined) process.stdout.write(files[asked] ?? "")
else for (const [name, text] of Object.entries(files)) writeFileSync(name, text)

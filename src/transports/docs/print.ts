import { writeFileSync } from "node:fs"
import { lexicographicSortSchema, printSchema } from "graphql"
import { resourceRoutes } from "../rest/routes.js"
import { buildOpenApi } from "./openapi.js"
import { servedSchema } from "./served-schema.js"
import { wireTypes } from "./wire-types.js"

// `print.js` writes the documents that are made of the schema into the working folder; with the name of one it prints that.

const schema = servedSchema()
const openApi = buildOpenApi(schema, resourceRoutes)
const files: Readonly<Record<string, string>> = {
  "schema.graphql": `${printSchema(lexicographicSortSchema(schema))}\n`,
  "openapi.json": `${JSON.stringify(openApi, null, 1)}\n`,
  "src/client/wire.ts": wireTypes(openApi),
}

const [asked] = process.argv.slice(2)
if (asked !== undefined) process.stdout.write(files[asked] ?? "")
else for (const [name, text] of Object.entries(files)) writeFileSync(name, text)

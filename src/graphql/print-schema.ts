import { lexicographicSortSchema, printSchema } from "graphql"
import { buildSchema } from "./schema.js"

process.stdout.write(`${printSchema(lexicographicSortSchema(buildSchema()))}\n`)

import type { JsonSchema } from "./json-schema.js"

/** The header of every answer. */
export const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } }
/** A refusal that rows answer with too. */
export const problem = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** An answer of JSON. */
export const jsonResponse = (description: string, schema: JsonSchema, example: unknown) => ({
  description,
  headers: REQUEST_ID,
  content: { "application/json": { schema, example } },
})
/** An answer of bytes or of text. */
export const bytes = (description: string, type: string) => ({
  description,
  headers: REQUEST_ID,
  content: { [type]: { schema: { type: "string", contentEncoding: "binary" } } },
})
/** An answer without a body. */
export const empty = (description: string) => ({ description, headers: REQUEST_ID })

/** A parameter in the query. */
export const query = (name: string, description: string, schema: JsonSchema, example: unknown, required = false) => ({
  name,
  in: "query",
  required,
  description,
  schema,
  example,
})
/** A whole number in the path. */
export const inPath = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "integer", format: "int64", minimum: 1 },
  example: name === "width" ? 512 : 84,
})
/** An operation that asks for no token. */
export const open = (tag: string, operationId: string, summary: string, rest: object) => ({
  operationId,
  tags: [tag],
  summary,
  security: [],
  ...rest,
})

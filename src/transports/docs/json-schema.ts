/** A schema of JSON Schema 2020-12, which OpenAPI 3.1 uses as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The same schema for a member that may also be null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] }
  return { ...schema, type: [type, "null"], ...(Array.isArray(values) && { enum: [...values, null] }) }
}

/** A reference to a schema of the document. */
export const schemaNamed = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

import type { JsonSchema } from "./json-schema.js"
import type { Operation } from "./operation.js"

/** An OpenAPI 3.1 document, as far as we look at it ourselves. */
export type OpenApi = {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: object
  } & Readonly<Record<string, unknown>>
} & Readonly<Record<string, unknown>>

/** The target of a reference; the value itself when it is none. */
export function follow<Value>(document: OpenApi, value: unknown): Value {
  const reference = (value as { $ref?: string }).$ref
  if (reference === undefined) return value as Value
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as Value
}

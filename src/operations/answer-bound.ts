import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from "graphql"
import { answerTooLarge, MAX_ANSWER_BYTES } from "./held-memory.js"
import { fieldsIn } from "./limits.js"
import { entriesOf, type Left, tooManyEntries } from "./object-budget.js"

/** A value that no row holds, such as an address that is made, is not longer. */
const SMALL_VALUE_BYTES = 256

/**
 * Makes what refuses a result of an operation that was given too many entries, or whose text would be larger than an answer
 * may be: one row can be shown in many places, and one field under many names. Most results cannot be, as the number of their
 * entries and the largest row tell; only the others are measured.
 */
export function answerBound(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): (result: ExecutionResult, left: Left) => ExecutionResult {
  const fields = fieldsIn(schema, document, operation)
  return (result, left) => {
    // Many of its resolvers have failed then: one error says it, and nothing is half answered.
    const tooMany = tooManyEntries(left)
    if (tooMany) return { data: null, errors: [tooMany] }
    if (result.data == null) return result
    const widest = left.held === undefined ? Number.POSITIVE_INFINITY : left.held.widestRow
    const most = (entriesOf(left) + 1) * fields * Math.max(widest, SMALL_VALUE_BYTES)
    if (most <= MAX_ANSWER_BYTES || sizeOf(result.data, MAX_ANSWER_BYTES) <= MAX_ANSWER_BYTES) return result
    return { data: null, errors: [answerTooLarge()] }
  }
}

/** How long the JSON of a value is, about; no more than just above `most` is looked at. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  let size = 2
  if (Array.isArray(value)) {
    for (const entry of value) {
      size += sizeOf(entry, most - size) + 1
      if (size > most) return size
    }
    return size
  }
  for (const name in value) {
    size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name], most - size)
    if (size > most) return size
  }
  return size
}

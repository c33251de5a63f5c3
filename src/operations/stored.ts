import type { ExecutionResult, GraphQLError } from "graphql"
import { type Current, isStale, type Problem, type Stale } from "../errors.js"
import { copyError } from "./copy-error.js"
import type { RootField } from "./root-fields.js"
import type { Values } from "./variables.js"

/**
 * Beside a mutation that names a revision: reads what is stored, as its GET shows it, for callers that sent a stale one. Undefined
 * where they may not see it any more.
 */
export type ReadStored = (context: object, args: Values) => Promise<Current | undefined>

/** The error of a stale revision with what is stored, which the root field's `extensions.stored` reads. */
export async function withStored(error: Stale, { field, args }: RootField, context: unknown): Promise<Problem> {
  const read = field.extensions.stored as ReadStored | undefined
  // What this request has read so far may be older than the change that made the revision stale.
  const current = await read?.({ ...(context as object), loaders: new Map() }, args)
  return current === undefined ? error : error.withCurrent(current)
}

/** A mutation's result, each of whose errors of a stale revision carries what is stored. */
export async function resultWithStored(
  result: ExecutionResult,
  roots: readonly RootField[],
  context: unknown,
): Promise<ExecutionResult> {
  const errors: GraphQLError[] = []
  for (const error of result.errors ?? []) {
    const cause = isStale(error) ? error : error.originalError
    const root = roots.find(({ responseName }) => responseName === error.path?.[0])
    if (!isStale(cause) || root === undefined) errors.push(error)
    else {
      const problem = await withStored(cause, root, context)
      errors.push(copyError(error, { originalError: problem, extensions: problem.extensions }))
    }
  }
  return { ...result, errors }
}

import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  visit,
} from "graphql"
import { compileQuery, isCompiledQuery } from "graphql-jit"
import { copyError } from "./copy-error.js"
import type { Lifted } from "./lift.js"
import type { Values } from "./variables.js"

/** An operation as a function of the root value, the context and the values of a lifted operation. */
export type Compiled = (root: unknown, context: unknown, values: Values) => ExecutionResult | Promise<ExecutionResult>

/**
 * Compiles an operation with graphql-jit; undefined where that would answer otherwise than graphql-js. It is lifted, so that
 * nothing of it that becomes code is a client's.
 */
export function compile(schema: GraphQLSchema, { document, node }: Lifted): Compiled | undefined {
  if (!isCompilable(document, node)) return undefined
  const compiled = compileQuery(schema, document, "")
  if (!isCompiledQuery(compiled)) return undefined
  return (root, context, values) => {
    const result = compiled.query(root, context, values)
    return result instanceof Promise ? result.then(withRealErrors) : withRealErrors(result)
  }
}

/** Whether graphql-jit 0.8.9 answers this operation as graphql-js does; each line is a case where it does not. */
export function isCompilable(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): boolean {
  // It goes on with the next mutation although one failed that may not be null.
  if (
    operation === "mutation" &&
    (selectionSet.selections.length > 1 || selectionSet.selections[0]?.kind !== Kind.FIELD)
  )
    return false
  const found = new Set<Kind>()
  let hasRepeats = false
  visit(document, {
    enter(node) {
      found.add(node.kind)
      if (node.kind === Kind.SELECTION_SET && repeatsName(node)) hasRepeats = true
    },
  })
  // Where selections are merged, it mixes up their conditions: one of a fragment's spreads decides for all, and what a skipped
  // field selects is selected with the other fields of its name.
  const mayMerge = hasRepeats || found.has(Kind.FRAGMENT_SPREAD) || found.has(Kind.INLINE_FRAGMENT)
  return !(found.has(Kind.DIRECTIVE) && mayMerge)
}

function repeatsName({ selections }: SelectionSetNode): boolean {
  const names = selections.flatMap((node) => (node.kind === Kind.FIELD ? [(node.alias ?? node.name).value] : []))
  return new Set(names).size < names.length
}

function withRealErrors({ data, errors }: ExecutionResult): ExecutionResult {
  return errors === undefined ? { data } : { data, errors: firstBelowEachNull(data, errors).map(realError) }
}

/** Where several fields below one null have failed, graphql-js tells of the first, and graphql-jit of all. */
function firstBelowEachNull(data: unknown, errors: readonly GraphQLError[]): readonly GraphQLError[] {
  const told = new Set<string>()
  return errors.filter(({ path = [] }) => {
    let value = data
    const depth = path.findIndex((key) => {
      if (value == null) return true
      value = (value as Record<string | number, unknown>)[key]
      return false
    })
    if (depth === -1) return true
    const place = JSON.stringify(path.slice(0, depth))
    return !told.has(place) && told.add(place)
  })
}

/** graphql-jit's errors are of a class of its own, and lack `extensions` where others rely on them. */
const realError = (error: GraphQLError): GraphQLError => (error.constructor === GraphQLError ? error : copyError(error))

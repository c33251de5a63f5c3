import {
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  GraphQLScalarType,
  GraphQLSchema,
  Kind,
  type NameNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from "graphql"
import { compileQuery, isCompiledQuery } from "graphql-jit"
import { copyError } from "./copy-error.js"
import type { Values } from "./variables.js"

/** An operation as a function of the root value, the context and variables that are already coerced. */
export type Compiled = (root: unknown, context: unknown, values: Values) => ExecutionResult | Promise<ExecutionResult>

/** The type that variables have for graphql-jit: it takes what `variablesOf` made of them as it is. */
const COERCED = new GraphQLScalarType({ name: "CoercedAlready" })

/** The schema as graphql-jit sees it: with a type for variables that are coerced already. */
export function schemaForCompiling(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, types: [...config.types, COERCED], assumeValid: true })
}

/**
 * Compiles one operation with graphql-jit; undefined where that would answer otherwise than graphql-js or is not safe.
 * graphql-jit's own coercion is not used: it knows scalars by name, so that it would not call our ID, and it dies of types
 * that contain themselves.
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Compiled | undefined {
  if (!isCompilable(document, operation)) return undefined
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
  const compiled = compileQuery(
    schema,
    { ...document, definitions: [withCoercedVariables(operation), ...fragments] },
    "",
  )
  if (!isCompiledQuery(compiled)) return undefined
  return (root, context, values) => {
    const result = compiled.query(root, context, values)
    return result instanceof Promise ? result.then(withRealErrors) : withRealErrors(result)
  }
}

/**
 * Whether graphql-jit 0.8.9 answers this operation as graphql-js does; each line is a case where it does not. One difference is
 * left: where several fields below one null have failed, it tells of all and not only of the first.
 */
export function isCompilable(document: DocumentNode, { operation, selectionSet }: OperationDefinitionNode): boolean {
  // It goes on with the next mutation although one failed that may not be null.
  if (
    operation === "mutation" &&
    (selectionSet.selections.length > 1 || selectionSet.selections[0]?.kind !== Kind.FIELD)
  )
    return false
  const found = new Set<Kind>()
  let isSafe = true
  let hasRepeats = false
  visit(document, {
    enter(node) {
      found.add(node.kind)
      if (isUnsafe(node)) isSafe = false
      if (node.kind === Kind.SELECTION_SET && repeatsName(node)) hasRepeats = true
    },
  })
  // Where selections are merged, it mixes up their conditions: one of a fragment's spreads decides for all, and what a skipped
  // field selects is selected with the other fields of its name.
  const mayMerge = hasRepeats || found.has(Kind.FRAGMENT_SPREAD) || found.has(Kind.INLINE_FRAGMENT)
  return isSafe && !(found.has(Kind.DIRECTIVE) && mayMerge)
}

function repeatsName({ selections }: SelectionSetNode): boolean {
  const names = selections.flatMap((node) => (node.kind === Kind.FIELD ? [(node.alias ?? node.name).value] : []))
  return new Set(names).size < names.length
}

function isUnsafe(node: ASTNode): boolean {
  switch (node.kind) {
    // A variable left out inside of a literal becomes null: "not sent" would turn into "remove".
    case Kind.LIST:
      return node.values.some(isVariable)
    case Kind.OBJECT:
      return node.fields.some(({ value }) => isVariable(value))
    // A text with one of its magic words is pasted into the code that it makes: a client could run code here.
    case Kind.STRING:
      return node.value.includes("__")
    // A name like __proto__ would be assigned to as a member of the result.
    case Kind.FIELD:
      return isReserved(node.alias) || (isReserved(node.name) && node.name.value !== "__typename")
    case Kind.VARIABLE_DEFINITION:
      return isReserved(node.variable.name)
    default:
      return false
  }
}

const isReserved = (name: NameNode | undefined) => name?.value.startsWith("__") ?? false

const isVariable = ({ kind }: ValueNode) => kind === Kind.VARIABLE

/** Variables of the type that is taken as it is; booleans keep theirs, because conditions ask for it. */
const withCoercedVariables = (operation: OperationDefinitionNode): OperationDefinitionNode => ({
  ...operation,
  variableDefinitions: operation.variableDefinitions?.map((definition) => {
    const type = definition.type.kind === Kind.NON_NULL_TYPE ? definition.type.type : definition.type
    if (type.kind === Kind.NAMED_TYPE && type.name.value === "Boolean") return definition
    const { kind, variable } = definition
    return { kind, variable, type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: COERCED.name } } }
  }),
})

function withRealErrors(result: ExecutionResult): ExecutionResult {
  return result.errors === undefined ? result : { ...result, errors: result.errors.map(realError) }
}

/** graphql-jit's errors are of a class of its own, and lack `extensions` where others rely on them. */
const realError = (error: GraphQLError): GraphQLError => (error.constructor === GraphQLError ? error : copyError(error))

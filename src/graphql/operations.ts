import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql"
import { LRUCache } from "lru-cache"
import { type Compiled, compile, schemaForCompiling } from "./compile.js"
import { COST_BUDGET, costOf } from "./cost.js"
import {
  type DocumentRules,
  InvalidDocument,
  operationIn,
  parseDocument,
  validateDocument,
  variablesAreNoObject,
} from "./document.js"
import { refusalOf, rootFieldNodes } from "./refusal.js"
import { type Fault, type Values, variablesOf } from "./variables.js"

type Later<T> = T | Promise<T>

/** One operation of a document, ready to run. */
export type Operation = {
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** Whether it asks for nothing but the schema and __typename, which is nobody's data. */
  readonly isIntrospection: boolean
  /**
   * Runs it once. A result without `data` was refused before anything ran: variables at fault, or too much asked for.
   * A subscription's operation takes the event as `root` and answers for that event.
   */
  run(context: unknown, variables?: Readonly<Values> | null, root?: unknown): Later<ExecutionResult>
  /** The errors that `run` would refuse these variables with, undefined when it would run: for who subscribes instead. */
  refusal(context: unknown, variables?: Readonly<Values> | null): Later<readonly GraphQLError[] | undefined>
}

/** All operations that this process runs, whichever door they came in by. */
export type Operations = {
  /** An operation that was prepared before and is still kept. */
  get(source: string, name?: string | null): Operation | undefined
  /** Parses, limits and validates a client's text; `document` when somebody has parsed it. @throws InvalidDocument */
  prepare(source: string, name?: string | null, document?: DocumentNode): Operation
  /** An operation of our own, which is kept for good and not limited. @throws InvalidDocument */
  fixed(source: string): Operation
}

/** Compiled documents hold about 60 KiB each, so this many are kept, the least recently used going first. */
const KEPT_OPERATIONS = 500

/** Longer texts are written by programs that write their values into them: they would only push out others. */
const LONGEST_KEPT_TEXT = 10_240

/** The one place that prepares operations. All doors run them, so that limits, errors and results are the same. */
export function createOperations(
  schema: GraphQLSchema,
  rules: DocumentRules = { introspection: true, suggestions: true },
): Operations {
  const compiling = schemaForCompiling(schema)
  const kept = new LRUCache<string, Operation>({ max: KEPT_OPERATIONS })

  function operation(
    document: DocumentNode,
    node: OperationDefinitionNode,
    faults: readonly Fault[],
    isOurs: boolean,
  ): Operation {
    const read = variablesOf(schema, node)
    const guess = isOurs ? { cost: 0, isFixed: true } : costOf(schema, document, node, {})
    if (guess.isFixed && guess.cost > COST_BUDGET) throw new InvalidDocument([tooDear(guess.cost)])
    // Compiling costs more than running once, and most texts of some clients are seen only once.
    let runsBeforeCompiling = isOurs ? 0 : 1
    let compiled: Compiled | undefined

    function checked(
      context: unknown,
      sent: Readonly<Values> | null | undefined,
    ): { values: Values } | { errors: Later<GraphQLError[]> } {
      if (sent !== null && sent !== undefined && (typeof sent !== "object" || Array.isArray(sent)))
        return { errors: [variablesAreNoObject()] }
      const { values, faults: ofVariables } = read(sent ?? NO_VARIABLES)
      const all = faults.length === 0 ? ofVariables : [...faults, ...ofVariables]
      if (all.length > 0)
        return { errors: refusalOf(all, { schema, document, node, context, values }).then((error) => [error]) }
      const { cost } = guess.isFixed ? guess : costOf(schema, document, node, values)
      return cost > COST_BUDGET ? { errors: [tooDear(cost)] } : { values }
    }

    return {
      document,
      node,
      isIntrospection: rootFieldNodes(document, node).every(({ name }) => name.value.startsWith("__")),
      refusal(context, variables) {
        const result = checked(context, variables)
        return "errors" in result ? result.errors : undefined
      },
      run(context, variables, root) {
        const result = checked(context, variables)
        if ("errors" in result)
          return result.errors instanceof Promise
            ? result.errors.then((errors) => ({ errors }))
            : { errors: result.errors }
        if (compiled) return compiled(root, context, result.values)
        const variableValues = variables ?? NO_VARIABLES
        const plain = () =>
          execute({
            schema,
            document,
            operationName: node.name?.value,
            variableValues,
            contextValue: context,
            rootValue: root,
          })
        if (runsBeforeCompiling-- > 0) return plain()
        compiled = compile(compiling, document, node)
        if (compiled) return compiled(root, context, result.values)
        runsBeforeCompiling = Number.POSITIVE_INFINITY
        return plain()
      },
    }
  }

  return {
    get: (source, name) => kept.get(keyOf(source, name)),
    prepare(source, name, document = parseDocument(source)) {
      const key = keyOf(source, name)
      const known = kept.get(key)
      if (known) return known
      const node = operationIn(document, name ?? undefined)
      const faults = validateDocument(schema, document, rules)
      const prepared = operation(document, node, faults, false)
      if (faults.length === 0 && source.length <= LONGEST_KEPT_TEXT) kept.set(key, prepared)
      return prepared
    },
    fixed(source) {
      const document = parseDocument(source)
      const node = operationIn(document, undefined)
      validateDocument(schema, document, { introspection: true, suggestions: true })
      return operation(document, node, [], true)
    },
  }
}

const NO_VARIABLES: Readonly<Values> = Object.freeze({})

/** The text alone when no operation is named: the usual case costs no new string. */
const keyOf = (source: string, name: string | null | undefined) => (name ? `${name}\n${source}` : source)

const tooDear = (cost: number) =>
  new GraphQLError(
    `The operation is expected to read ${cost} objects; at most ${COST_BUDGET} are allowed. Ask for shorter pages or fewer levels.`,
    { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
  )

import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql"
import { type Compiled, compile } from "./compile.js"
import { COST_BUDGET, type Cost, costOf } from "./cost.js"
import { InvalidDocument, variablesAreNoObject } from "./document.js"
import { countingContext } from "./object-budget.js"
import { refusalOf, rootFieldNodes } from "./refusal.js"
import { type Fault, type Values, variablesOf } from "./variables.js"

/** Variables as a client sent them. */
export type SentVariables = Readonly<Values> | null | undefined

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
  run(context: unknown, variables?: SentVariables, root?: unknown): Later<ExecutionResult>
  /** The errors that `run` would refuse these variables with, undefined when it would run: for who subscribes instead. */
  refusal(context: unknown, variables?: SentVariables): Later<readonly GraphQLError[] | undefined>
}

type Source = {
  schema: GraphQLSchema
  /** The same schema as the compiler takes it. */
  compiling: GraphQLSchema
  document: DocumentNode
  node: OperationDefinitionNode
  /** Values in the document that are outside of their limits: it is refused at each run, once access is judged. */
  faults: readonly Fault[]
  /** Our own are compiled at their first run and cost what they cost. */
  isOurs: boolean
}

const FREE: Cost = { cost: 0, isFixed: true, mayRepeat: false }

/** Makes an operation of a document that is valid. @throws InvalidDocument when it asks for too much, whatever its variables */
export function createOperation({ schema, compiling, document, node, faults, isOurs }: Source): Operation {
  const read = variablesOf(schema, node)
  const cost = isOurs ? FREE : costOf(schema, document, node, {})
  if (cost.isFixed && cost.cost > COST_BUDGET) throw new InvalidDocument([tooDear(cost.cost)])
  // Compiling costs more than running once, and most texts of some clients are seen only once.
  let runsBeforeCompiling = isOurs ? 0 : 1
  let compiled: Compiled | undefined

  function check(context: unknown, sent: SentVariables): { values: Values } | { errors: Later<GraphQLError[]> } {
    if (sent && (typeof sent !== "object" || Array.isArray(sent))) return { errors: [variablesAreNoObject()] }
    const { values, faults: ofVariables } = read(sent || NO_VARIABLES)
    const all = faults.length === 0 ? ofVariables : [...faults, ...ofVariables]
    if (all.length > 0)
      return { errors: refusalOf(all, { schema, document, node, context, values }).then((error) => [error]) }
    const dear = cost.isFixed ? 0 : costOf(schema, document, node, values).cost
    return dear > COST_BUDGET ? { errors: [tooDear(dear)] } : { values }
  }

  const executed = (contextValue: unknown, sent: SentVariables, rootValue: unknown) =>
    execute({
      schema,
      document,
      operationName: node.name?.value,
      variableValues: sent || NO_VARIABLES,
      contextValue,
      rootValue,
    })

  return {
    document,
    node,
    isIntrospection: rootFieldNodes(document, node).every(({ name }) => name.value.startsWith("__")),
    refusal(context, variables) {
      const checked = check(context, variables)
      return "errors" in checked ? checked.errors : undefined
    },
    run(given, variables, root) {
      const checked = check(given, variables)
      if ("errors" in checked) return withErrors(checked.errors)
      const context = cost.mayRepeat ? countingContext(given) : given
      if (runsBeforeCompiling-- === 0) compiled = compile(compiling, document, node)
      return compiled ? compiled(root, context, checked.values) : executed(context, variables, root)
    },
  }
}

const NO_VARIABLES: Readonly<Values> = Object.freeze({})

const withErrors = (errors: Later<readonly GraphQLError[]>): Later<ExecutionResult> =>
  errors instanceof Promise ? errors.then((settled) => ({ errors: settled })) : { errors }

const tooDear = (cost: number) =>
  new GraphQLError(
    `The operation is expected to read ${cost} objects; at most ${COST_BUDGET} are allowed. Ask for shorter pages or fewer levels.`,
    { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
  )

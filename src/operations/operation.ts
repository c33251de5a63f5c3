import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql"
import type { LRUCache } from "lru-cache"
import type { Viewer } from "../context.js"
import { answerBound } from "./answer-bound.js"
import { isAtomic } from "./atomic-directive.js"
import { type Compiled, compile } from "./compile.js"
import { COST_BUDGET, type Cost, costOf } from "./cost.js"
import { InvalidDocument, variablesAreNoObject } from "./document.js"
import { asksSchema, introspectionRefusal } from "./introspection-cost.js"
import { lift } from "./lift.js"
import { fragmentsOf } from "./limits.js"
import { lacking, type Needed, scopesNeeded } from "./needs.js"
import { countingContext, openBudget } from "./object-budget.js"
import { asksNetwork, type OnceRules, onceRulesOf } from "./once-rules.js"
import { judge, refusalOf } from "./refusal.js"
import { restorerOf } from "./result-names.js"
import { type RootField, rootFieldNodes, rootFields } from "./root-fields.js"
import { resultWithStored } from "./stored.js"
import { type Values, type Violation, variablesOf } from "./variables.js"

/** Variables as a client sent them. */
export type SentVariables = Readonly<Values> | null | undefined

type Later<T> = T | Promise<T>

/** One operation of a document, ready to run. */
export type Operation = {
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  /** What is wrong with values in the document: then it is refused at each run, once access is judged. */
  readonly violations: readonly Violation[]
  /** How many members its result has: what it is counted as. */
  readonly rootFields: number
  /** Whether it asks for nothing but the schema and __typename, which is nobody's data. */
  readonly isIntrospection: boolean
  /**
   * Runs it once. A result without `data` was refused before anything ran: invalid variables, or too much asked for.
   * A subscription's operation takes the event as `root` and answers for that event.
   */
  run(context: unknown, variables?: SentVariables, root?: unknown): Later<ExecutionResult>
  /** The scopes that a token needs for it: without them it is refused before anything else is looked at. */
  readonly needs: Needed
  /** How it is answered once, when its client gives a name to it; undefined where it may be repeated without one. */
  readonly once: OnceRules | undefined
  /** Whether all of it is made, in one transaction, or nothing. */
  readonly isAtomic: boolean
  /** Asks whether it may be run at all: by its scopes, and what those of its root fields that make something ask before they look at limits. @throws Problem */
  judge(context: unknown, variables?: SentVariables): Promise<void>
  /** The errors that `run` would refuse these variables with, undefined when it would run: for subscriptions. */
  refusal(context: unknown, variables?: SentVariables): Later<readonly GraphQLError[] | undefined>
  /** Its root fields with their arguments, for variables that it does not refuse. */
  roots(variables?: SentVariables): RootField[]
}

type Source = {
  schema: GraphQLSchema
  /** The same schema as engines take it. */
  lifting: GraphQLSchema
  document: DocumentNode
  node: OperationDefinitionNode
  /** Our own are compiled at their first run and cost what they cost. */
  isOurs: boolean
  /** Results of operations that ask for the schema alone, which are the same for all callers. */
  introspected: LRUCache<OperationDefinitionNode, ExecutionResult>
}

const FREE: Cost = { cost: 0, isFixed: true }

/** Makes an operation of a document that is valid. @throws InvalidDocument when it asks for too much, whatever its variables */
export function createOperation({ schema, lifting, document, node, isOurs, introspected }: Source): Operation {
  const read = variablesOf(schema, node)
  const lifted = lift(schema, document, node, isOurs)
  const restore = restorerOf(lifted)
  const cost = isOurs ? FREE : costOf(schema, document, node, {})
  if (cost.isFixed && cost.cost > COST_BUDGET) throw new InvalidDocument([tooExpensive(cost.cost)])
  refuseNetwork(schema, document, node)
  const roots = rootFieldNodes(document, node)
  const isIntrospection = roots.every(({ name }) => name.value.startsWith("__"))
  const hasVariables = (node.variableDefinitions ?? []).length > 0
  const isConstant = isIntrospection && !hasVariables
  const asked = isOurs ? [] : roots.filter(asksSchema)
  const askTooMuch = (values: Values) =>
    asked.length === 0 ? undefined : introspectionRefusal(schema, fragmentsOf(document), asked, values)
  const excess = askTooMuch({})
  if (excess) throw new InvalidDocument([excess])
  const needs = scopesNeeded(schema, lifted.document)
  const bounded = answerBound(schema, document, node)
  // Compiling costs more than running once, and most texts of some clients are seen only once.
  let runsBeforeCompiling = isOurs ? 0 : 1
  let compiled: Compiled | undefined

  /** The values that a run gets, and what is wrong with them. */
  function valuesFor(sent: Readonly<Values>): { declared: Values; values: Values; violations: Violation[] } {
    const { values: declared, violations } = read(sent)
    const values = lifted.read(declared, sent, (violation) => void violations.push(violation))
    return { declared, values, violations }
  }

  function check(context: unknown, sent: SentVariables): { values: Values } | { errors: Later<GraphQLError[]> } {
    const refusal = lacking(needs, viewerIn(context))
    if (refusal) return { errors: [refusal] }
    if (sent && (typeof sent !== "object" || Array.isArray(sent))) return { errors: [variablesAreNoObject()] }
    const { declared, values, violations } = valuesFor(sent || NO_VARIABLES)
    const all = lifted.violations.length === 0 ? violations : [...lifted.violations, ...violations]
    if (all.length > 0) return { errors: refusalOf(all, { schema, lifted, context, values }).then((error) => [error]) }
    const total = cost.isFixed ? 0 : costOf(schema, document, node, declared).cost
    const refused = total > COST_BUDGET ? tooExpensive(total) : hasVariables ? askTooMuch(declared) : undefined
    return refused ? { errors: [refused] } : { values }
  }

  const executed = (rootValue: unknown, contextValue: unknown, variableValues: Values) =>
    execute({ schema: lifting, document: lifted.document, variableValues, contextValue, rootValue })

  /** What a mutation gives: who sent a stale revision is told what is stored. */
  async function changed(result: Later<ExecutionResult>, values: Values, context: unknown): Promise<ExecutionResult> {
    const given = await result
    return given.errors === undefined ? given : resultWithStored(given, rootFields(schema, lifted, values), context)
  }

  return {
    document,
    node,
    violations: lifted.violations,
    rootFields: new Set(roots.map(({ alias, name }) => (alias ?? name).value)).size,
    isIntrospection,
    needs,
    once: onceRulesOf(schema, document, node),
    isAtomic: isAtomic(node),
    async judge(context, sent) {
      const refusal = lacking(needs, viewerIn(context))
      if (refusal) throw refusal
      const { values } = valuesFor(sent || NO_VARIABLES)
      await judge(
        rootFields(schema, lifted, values).filter(({ field }) => field.extensions.once !== undefined),
        context,
      )
    },
    refusal(context, variables) {
      const checked = check(context, variables)
      return "errors" in checked ? checked.errors : undefined
    },
    roots: (variables) => rootFields(schema, lifted, valuesFor(variables || NO_VARIABLES).values),
    run(given, variables, root) {
      const checked = check(given, variables)
      if ("errors" in checked) return withErrors(checked.errors)
      const known = isConstant ? introspected.get(node) : undefined
      if (known) return known
      const left = isOurs ? undefined : openBudget(given)
      const context = left ? countingContext(given, left) : given
      if (runsBeforeCompiling-- === 0) compiled = compile(lifting, lifted)
      if (left) left.isCompiled = compiled !== undefined
      const finish = (raw: ExecutionResult): ExecutionResult => {
        const restored = restore ? restore(raw) : raw
        return left ? bounded(restored, left) : restored
      }
      const result = (compiled ?? executed)(root, context, checked.values)
      if (node.operation === "mutation") return changed(result, checked.values, given).then(finish)
      if (result instanceof Promise) return left || restore ? result.then(finish) : result
      const finished = finish(result)
      if (isConstant) introspected.set(node, finished)
      return finished
    },
  }
}

const viewerIn = (context: unknown): Viewer | undefined => (context as { viewer?: Viewer } | undefined)?.viewer

const NO_VARIABLES: Readonly<Values> = Object.freeze({})

const withErrors = (errors: Later<readonly GraphQLError[]>): Later<ExecutionResult> =>
  errors instanceof Promise ? errors.then((settled) => ({ errors: settled })) : { errors }

/** @throws InvalidDocument when an atomic operation has a field that asks the network */
function refuseNetwork(schema: GraphQLSchema, document: DocumentNode, node: OperationDefinitionNode): void {
  if (!isAtomic(node)) return
  const fields = schema.getMutationType()?.getFields() ?? {}
  const asking = rootFieldNodes(document, node).find(
    ({ name: { value } }) => fields[value] && asksNetwork(fields[value]),
  )
  if (asking === undefined) return
  const text = `${asking.name.value} asks the storage or the network, which no transaction waits for: run it without @atomic.`
  const extensions = { code: "BAD_REQUEST" }
  throw new InvalidDocument([new GraphQLError(text, { nodes: asking, extensions })])
}

const tooExpensive = (cost: number) =>
  new GraphQLError(
    `The operation is expected to read ${cost} objects; at most ${COST_BUDGET} are allowed. Ask for shorter pages or fewer levels.`,
    { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
  )

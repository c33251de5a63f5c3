import type { DocumentNode, ExecutionResult, GraphQLSchema, OperationDefinitionNode } from "graphql"
import { LRUCache } from "lru-cache"
import { type DocumentRules, operationIn, parseDocument, validateDocument, validateOwnDocument } from "./document.js"
import { schemaForLifted } from "./lift.js"
import { countListEntries } from "./object-budget.js"
import { createOperation, type Operation } from "./operation.js"

export type { Operation } from "./operation.js"

/** All operations that this process runs, whichever transport they came in by. */
export type Operations = {
  /** An operation that was prepared before and is still kept. */
  get(source: string, name?: string | null): Operation | undefined
  /** Parses, limits and validates a client's text; `document` when somebody has parsed it. @throws InvalidDocument */
  prepare(source: string, name?: string | null, document?: DocumentNode): Operation
  /** An operation of our own, which is kept for good and not limited. @throws InvalidDocument */
  fixed(source: string): Operation
}

/** Compiled documents hold about 60 KiB each, so this many are kept, the least recently used going first. */
const MAX_CACHED_OPERATIONS = 500

/** Longer texts are written by programs that write their values into them: they would only push out others. */
const MAX_CACHED_TEXT_LENGTH = 10_240

/** The whole schema is 200 KB, and tools ask for it in a few ways. */
const MAX_CACHED_INTROSPECTIONS = 4

const OPEN: DocumentRules = { introspection: true, suggestions: true }

/** What sees an operation run: it gives the same operation, watched. `isOurs`: a row of REST runs it, and no client wrote it. */
export type Watch = (operation: Operation, isOurs: boolean) => Operation

/**
 * The one place that prepares operations. All transports run them, so that limits, errors and results are the same.
 * @param watch is given each operation once, when it is prepared
 */
export function createOperations(
  schema: GraphQLSchema,
  rules = OPEN,
  watch: Watch = (operation) => operation,
): Operations {
  const { lifting, introspected, ours } = sharedOf(schema)
  const cached = new LRUCache<string, Operation>({ max: MAX_CACHED_OPERATIONS })

  return {
    get: (source, name) => cached.get(keyOf(source, name)),

    prepare(source, name, parsed) {
      const key = keyOf(source, name)
      const known = cached.get(key)
      if (known) return known
      const document = parsed ?? parseDocument(source)
      const node = operationIn(document, name ?? undefined)
      validateDocument(schema, document, rules)
      const operation = watch(createOperation({ schema, lifting, document, node, isOurs: false, introspected }), false)
      if (operation.violations.length === 0 && source.length <= MAX_CACHED_TEXT_LENGTH) cached.set(key, operation)
      return operation
    },

    fixed(source) {
      let operation = ours.get(source)
      if (operation === undefined) {
        const document = parseDocument(source)
        const node = operationIn(document, undefined)
        validateOwnDocument(schema, document)
        operation = createOperation({ schema, lifting, document, node, isOurs: true, introspected })
        ours.set(source, operation)
      }
      return watch(operation, true)
    },
  }
}

/** What all nodes of a process that serve the same schema share; operations of our own are prepared once. */
type Shared = {
  readonly lifting: GraphQLSchema
  readonly introspected: LRUCache<OperationDefinitionNode, ExecutionResult>
  readonly ours: Map<string, Operation>
}

const shared = new WeakMap<GraphQLSchema, Shared>()

function sharedOf(schema: GraphQLSchema): Shared {
  let made = shared.get(schema)
  if (made === undefined) {
    countListEntries(schema)
    made = {
      lifting: schemaForLifted(schema),
      introspected: new LRUCache({ max: MAX_CACHED_INTROSPECTIONS }),
      ours: new Map(),
    }
    shared.set(schema, made)
  }
  return made
}

/** The text alone when no operation is named: the usual case makes no new string. */
const keyOf = (source: string, name: string | null | undefined) => (name ? `${name}\n${source}` : source)

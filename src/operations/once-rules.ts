import {
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql"
import { rootFieldNodes } from "./root-fields.js"

/**
 * Beside a mutation that is safe to repeat only under a name that its client gave to the request, because it makes
 * something. `aside`: it asks the network, which no transaction may wait for. A change or deletion names a revision, so
 * its repetition is refused anyway.
 */
type Once = "inTransaction" | "aside"

/** How an operation that is named by its client is answered once. */
export type OnceRules = {
  readonly how: Once
  /** Whether its answer shows a secret: a field with `extensions.secret`. Such an answer is kept nowhere. */
  readonly holdsSecret: boolean
}

/** What the marks of its fields say of an operation; undefined when it needs no name to be repeated. */
export function onceRulesOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  node: OperationDefinitionNode,
): OnceRules | undefined {
  if (node.operation !== "mutation") return undefined
  const fields = schema.getMutationType()?.getFields() ?? {}
  const marks = rootFieldNodes(document, node).map(
    ({ name }) => fields[name.value]?.extensions.once as Once | undefined,
  )
  if (marks.every((mark) => mark === undefined)) return undefined
  let holdsSecret = false
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        if (types.getFieldDef()?.extensions.secret === true) holdsSecret = true
      },
    }),
  )
  return { how: marks.includes("aside") ? "aside" : "inTransaction", holdsSecret }
}

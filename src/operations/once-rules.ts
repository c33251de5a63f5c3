import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql"
import { isAtomic } from "./atomic-directive.js"
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

/** Whether a root field asks the storage or the network, which no transaction may wait for: it says so by a mark. */
export const asksNetwork = ({ extensions }: Pick<GraphQLField<unknown, unknown>, "extensions">): boolean =>
  extensions.once === "aside" || extensions.asksNetwork === true

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
  if (marks.every((mark) => mark === undefined) && !isAtomic(node)) return undefined
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

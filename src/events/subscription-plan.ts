import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  visit,
} from "graphql"
import { fragmentsOf } from "../operations/limits.js"
import type { Operation } from "../operations/operation.js"
import { rootFieldNodes } from "../operations/root-fields.js"

/** What a subscription's operation says about how to run it; worked out once. */
export type SubscriptionPlan = {
  /** The root field's name. */
  readonly field: string
  /** Whether what is answered for an event may differ from viewer to viewer. */
  readonly isPersonal: boolean
  /** The variables that what is answered for an event depends on. */
  readonly variables: readonly string[]
}

const plans = new WeakMap<Operation, SubscriptionPlan>()

/** Made once for each operation: what decides whether two subscribers may share an execution. */
export function planOf(schema: GraphQLSchema, operation: Operation): SubscriptionPlan {
  const known = plans.get(operation)
  if (known) return known
  const { document, node } = operation
  // One root field, which may be written several times with the same arguments.
  const roots = rootFieldNodes(document, node)
  const [root] = roots as [FieldNode]
  const field = schema.getSubscriptionType()?.getFields()[root.name.value] as GraphQLField<unknown, unknown>
  const selections = roots.flatMap(({ selectionSet }) => selectionSet ?? [])
  const plan: SubscriptionPlan = {
    field: field.name,
    isPersonal: selections.some((selection) => isPersonal(schema, operation, selection, getNamedType(field.type))),
    variables: [...new Set([...selections, ...fragmentsOf(document).values()].flatMap(variablesIn))].sort(),
  }
  plans.set(operation, plan)
  return plan
}

/** Whether something is selected that a resolver answers: it gets the viewer, and may read what only the viewer can see. */
function isPersonal(
  schema: GraphQLSchema,
  operation: Operation,
  { selections }: SelectionSetNode,
  type: GraphQLNamedType | undefined,
): boolean {
  return selections.some((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      const fragment = fragmentsOf(operation.document).get(selection.name.value)
      const on = fragment && schema.getType(fragment.typeCondition.name.value)
      return fragment !== undefined && isPersonal(schema, operation, fragment.selectionSet, on)
    }
    if (selection.kind === Kind.INLINE_FRAGMENT) {
      const on = selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : type
      return isPersonal(schema, operation, selection.selectionSet, on)
    }
    if (selection.name.value === "__typename") return false
    const field = isObjectType(type) ? type.getFields()[selection.name.value] : undefined
    if (field === undefined || (field.resolve !== undefined && field.extensions.shared !== true)) return true
    const below = selection.selectionSet
    return below !== undefined && isPersonal(schema, operation, below, getNamedType(field.type))
  })
}

function variablesIn(node: Parameters<typeof visit>[0]): string[] {
  const names: string[] = []
  visit(node, {
    enter(part) {
      if (part.kind === Kind.VARIABLE) names.push(part.name.value)
    },
  })
  return names
}

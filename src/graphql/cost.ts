import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql"
import { fragmentsOf } from "./limits.js"

/** Objects that one operation may be expected to read. */
export const COST_BUDGET = 25_000

/** Entries that a list is expected to have when neither `first` nor the field's `extensions.listSize` says so. */
const DEFAULT_LIST_SIZE = 10

type Values = Readonly<Record<string, unknown>>

/**
 * How many objects an operation is expected to read: 1 for each field that holds an object, times the length of every list
 * around it. A list's length is `first` or `last` where the field has them, else a guess; leaves and introspection cost nothing.
 * `isFixed` says that no variable took part, so that one answer is right for every run.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  values: Values,
): { cost: number; isFixed: boolean } {
  const fragments = fragmentsOf(document)
  const known = new Map<string, number>()
  let isFixed = true

  function costOfSelection({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined | null): number {
    let cost = 0
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += costOfField(selection, parent)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) cost += costOfFragment(fragments.get(selection.name.value))
      else {
        const type = selection.typeCondition ? schema.getType(selection.typeCondition.name.value) : parent
        cost += costOfSelection(selection.selectionSet, type)
      }
    }
    return cost
  }

  function costOfFragment(fragment: FragmentDefinitionNode | undefined): number {
    if (!fragment) return 0
    const { name, typeCondition, selectionSet } = fragment
    const cost = known.get(name.value) ?? costOfSelection(selectionSet, schema.getType(typeCondition.name.value))
    known.set(name.value, cost)
    return cost
  }

  function costOfField(node: FieldNode, parent: GraphQLNamedType | undefined | null): number {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field || !node.selectionSet) return 0
    const type = getNamedType(field.type)
    if (isLeafType(type)) return 0
    const inside = costOfSelection(node.selectionSet, type)
    const page = pageSize(field, argumentOf(node))
    // A page is one object that holds `first` others; its own lists are those entries and count once.
    if (page !== undefined) return 1 + page * inside
    if (isConnection(parent) || !isListType(getNullableType(field.type))) return 1 + inside
    return listSize(field) * (1 + inside)
  }

  const argumentOf =
    (node: FieldNode) =>
    (name: string): unknown => {
      const given = node.arguments?.find((argument) => argument.name.value === name)?.value
      if (given?.kind !== Kind.VARIABLE) return given?.kind === Kind.INT ? Number(given.value) : undefined
      isFixed = false
      return values[given.name.value]
    }

  const cost = costOfSelection(selectionSet, schema.getRootType(operation))
  return { cost, isFixed }
}

const isConnection = (type: GraphQLNamedType | undefined | null) => type?.name.endsWith("Connection") ?? false

function pageSize(field: GraphQLField<unknown, unknown>, argument: (name: string) => unknown): number | undefined {
  const sized = field.args.filter(({ name }) => name === "first" || name === "last")
  if (sized.length === 0) return undefined
  const sizes = sized
    .map(({ name, defaultValue }) => argument(name) ?? defaultValue)
    .filter((size) => typeof size === "number")
  return Math.max(1, ...(sizes.length > 0 ? sizes : [listSize(field)]))
}

const listSize = (field: GraphQLField<unknown, unknown>): number =>
  typeof field.extensions.listSize === "number" ? field.extensions.listSize : DEFAULT_LIST_SIZE

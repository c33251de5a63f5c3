import {
  type DocumentNode,
  type FieldNode,
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

/** What an operation is expected to read. */
export type Cost = {
  /** Objects. */
  readonly cost: number
  /** Whether no variable took part, so that one answer is right for every run. */
  readonly isFixed: boolean
}

type Parent = GraphQLNamedType | undefined | null

/**
 * How many objects an operation is expected to read: 1 for each field that holds an object, times the length of every list
 * around it. A list's length is `first` or `last` where the field has them, else a guess; leaves cost nothing, and
 * introspection has a limit of its own.
 * The document is within its limits, so that walking every spread of a fragment again is bounded.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operation, selectionSet }: OperationDefinitionNode,
  values: Values,
): Cost {
  const fragments = fragmentsOf(document)
  let isFixed = true

  function costOfSelection({ selections }: SelectionSetNode, parent: Parent): number {
    let cost = 0
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) cost += costOfField(selection, parent)
      else {
        const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection
        const type = fragment?.typeCondition ? schema.getType(fragment.typeCondition.name.value) : parent
        if (fragment) cost += costOfSelection(fragment.selectionSet, type)
      }
    }
    return cost
  }

  function costOfField(node: FieldNode, parent: Parent): number {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
    if (!field || !node.selectionSet) return 0
    const type = getNamedType(field.type)
    if (isLeafType(type)) return 0
    const page = pageSize(field, argumentOf(node))
    // A page is one object that holds `first` others; its own lists are those entries and count once.
    const isList = !isConnection(parent) && isListType(getNullableType(field.type))
    const inside = costOfSelection(node.selectionSet, type)
    if (isList) return (page ?? listSize(field)) * (1 + inside)
    return 1 + (page ?? 1) * inside
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

const isConnection = (type: Parent) => /(Connection|Page)$/.test(type?.name ?? "")

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

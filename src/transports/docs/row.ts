import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  parse,
  type ValueNode,
} from "graphql"
import type { Route } from "../../operations/route.js"

/** A row of the REST contract with the GraphQL operation that answers it, read. */
export type Row = {
  readonly route: Route
  /** What the resource is called to which it belongs. */
  readonly tag: string
  readonly operation: OperationDefinitionNode
  /** The one root field, as the document asks for it and as the schema declares it. */
  readonly node: FieldNode
  readonly field: GraphQLField<unknown, unknown>
  /** The same for clients of the retired service, where the document is another one. */
  readonly wunderlist: { readonly operation: OperationDefinitionNode; readonly node: FieldNode } | undefined
}

function operationOf(source: string): { operation: OperationDefinitionNode; node: FieldNode } {
  const operation = parse(source, { noLocation: true }).definitions.find(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode
  return { operation, node: operation.selectionSet.selections[0] as FieldNode }
}

/** Reads a row. @throws TypeError when its document asks for a field that the schema does not have */
export function readRow(schema: GraphQLSchema, tag: string, route: Route): Row {
  const { operation, node } = operationOf(route.document)
  const root = schema.getRootType(operation.operation)
  const field = root?.getFields()[node.name.value]
  if (field === undefined) throw new TypeError(`${root?.name} has no field ${node.name.value}.`)
  const { wunderlistDocument } = route.options
  return {
    route,
    tag,
    operation,
    node,
    field,
    wunderlist: wunderlistDocument === undefined ? undefined : operationOf(wunderlistDocument),
  }
}

/** The argument that takes the value of a variable, or the member of an input in it. */
export function placeFor(
  { node, field }: Pick<Row, "node" | "field">,
  variable: string,
): GraphQLArgument | GraphQLInputField | undefined {
  const within = (place: GraphQLArgument | GraphQLInputField, value: ValueNode): typeof place | undefined => {
    if (value.kind === Kind.VARIABLE) return value.name.value === variable ? place : undefined
    const type = getNamedType(place.type)
    if (value.kind !== Kind.OBJECT || !isInputObjectType(type)) return undefined
    return firstOf(value.fields, type.getFields())
  }
  const firstOf = (
    given: readonly (ArgumentNode | ObjectFieldNode)[],
    places: Readonly<Record<string, GraphQLArgument | GraphQLInputField>>,
  ): ReturnType<typeof within> => {
    for (const { name, value } of given) {
      const place = places[name.value]
      const found = place && within(place, value)
      if (found !== undefined) return found
    }
    return undefined
  }
  return firstOf(node.arguments ?? [], Object.fromEntries(field.args.map((argument) => [argument.name, argument])))
}

/** What the contract calls a row: its path with `{id}` where OpenAPI has a parameter. */
export const pathOf = ({ path }: Route): string => path.replaceAll(/:(\w+)/g, "{$1}")

import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from "graphql"

/** How long the lists of the introspection are on average, by `__Type.fields` and the like. */
type Sizes = Readonly<Record<string, number>>

const known = new WeakMap<GraphQLSchema, Sizes>()

/** A type is wrapped in "list" and "not null" once or twice, or not at all, however deep a document looks. */
const WRAPPINGS = 0.6

/** How many values, leaves too, `__schema` or `__type` is expected to answer with what is selected of it. */
export function valuesOfIntrospection(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  root: "__schema" | "__type",
  selected: SelectionSetNode,
): number {
  const sizes = known.get(schema) ?? sizesOf(schema)
  known.set(schema, sizes)

  function valuesIn({ selections }: SelectionSetNode, parent: GraphQLNamedType | undefined): number {
    let values = 0
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const field = isObjectType(parent) ? parent.getFields()[node.name.value] : undefined
        const each = node.selectionSet ? valuesIn(node.selectionSet, field && getNamedType(field.type)) : 0
        values += 1 + (sizes[`${parent?.name}.${node.name.value}`] ?? 1) * each
      } else {
        const inside = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
        if (inside) values += valuesIn(inside.selectionSet, parent)
      }
    }
    return values
  }
  return valuesIn(selected, schema.getType(root === "__schema" ? "__Schema" : "__Type"))
}

function sizesOf(schema: GraphQLSchema): Sizes {
  const types = Object.values(schema.getTypeMap())
  const sum = (count: (type: GraphQLNamedType) => number) => types.reduce((total, type) => total + count(type), 0)
  const fieldsOf = (type: GraphQLNamedType) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
  const fields = sum((type) => fieldsOf(type).length)
  const args = sum((type) => fieldsOf(type).reduce((total, field) => total + field.args.length, 0))
  return {
    "__Schema.types": types.length,
    "__Schema.directives": schema.getDirectives().length,
    "__Type.fields": fields / types.length,
    "__Type.inputFields":
      sum((type) => (isInputObjectType(type) ? Object.keys(type.getFields()).length : 0)) / types.length,
    "__Type.enumValues": sum((type) => (isEnumType(type) ? type.getValues().length : 0)) / types.length,
    "__Type.possibleTypes": sum((type) => (isUnionType(type) ? type.getTypes().length : 0)) / types.length,
    "__Type.interfaces": sum((type) => (isObjectType(type) ? type.getInterfaces().length : 0)) / types.length,
    "__Type.ofType": WRAPPINGS,
    "__Field.args": args / fields,
  }
}

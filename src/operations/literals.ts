import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  isRequiredArgument,
  Kind,
  TypeInfo,
  type ValueNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql"
import { type Fault, faultsOf } from "./variables.js"

/**
 * What is wrong with the values that are written into a document, by field. Validation knows it too, but tells it without the
 * field's name. Arguments with a variable inside are left to the variables' own check.
 */
export function literalFaults(schema: GraphQLSchema, document: DocumentNode): Fault[] {
  const faults: Fault[] = []
  const types = new TypeInfo(schema)
  const enter = (node: FieldNode) => {
    const field = types.getFieldDef()
    if (field) faults.push(...faultsOfField(field, node))
  }
  visit(document, visitWithTypeInfo(types, { Field: { enter } }))
  return faults
}

const faultsOfField = (field: GraphQLField<unknown, unknown>, node: FieldNode): Fault[] =>
  field.args.flatMap((argument) => {
    const given = node.arguments?.find(({ name }) => name.value === argument.name)
    if (!given) return isRequiredArgument(argument) ? [{ field: argument.name, text: "required", kind: "missing" }] : []
    if (!isLiteral(given.value)) return []
    return faultsOf(argument.type, valueFromASTUntyped(given.value), argument.name).faults
  })

function isLiteral(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.every(isLiteral)
  if (value.kind === Kind.OBJECT) return value.fields.every((field) => isLiteral(field.value))
  return value.kind !== Kind.VARIABLE
}

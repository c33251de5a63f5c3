import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  isRequiredArgument,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql"
import { hasVariable } from "./lift.js"
import { limitedTypeOf } from "./standard-types.js"
import { coercionOf, type Fault } from "./variables.js"

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
    if (hasVariable(given.value)) return []
    const faults: Fault[] = []
    const report = (fault: Fault) => void faults.push(fault)
    coercionOf(limitedTypeOf(argument))(valueFromASTUntyped(given.value), argument.name, report)
    return faults
  })

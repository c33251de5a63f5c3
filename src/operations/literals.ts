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
import { coercionOf, type Violation } from "./variables.js"

/**
 * What is wrong with the values that are written into a document, by field. Validation knows it too, but tells it without the
 * field's name. Arguments with a variable inside are left to the variables' own check.
 */
export function literalViolations(schema: GraphQLSchema, document: DocumentNode): Violation[] {
  const violations: Violation[] = []
  const types = new TypeInfo(schema)
  const enter = (node: FieldNode) => {
    const field = types.getFieldDef()
    if (field) violations.push(...violationsOfField(field, node))
  }
  visit(document, visitWithTypeInfo(types, { Field: { enter } }))
  return violations
}

const violationsOfField = (field: GraphQLField<unknown, unknown>, node: FieldNode): Violation[] =>
  field.args.flatMap((argument) => {
    const given = node.arguments?.find(({ name }) => name.value === argument.name)
    if (!given) return isRequiredArgument(argument) ? [{ field: argument.name, text: "required", kind: "missing" }] : []
    if (hasVariable(given.value)) return []
    const violations: Violation[] = []
    const report = (violation: Violation) => void violations.push(violation)
    coercionOf(limitedTypeOf(argument))(valueFromASTUntyped(given.value), argument.name, report)
    return violations
  })

import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql"
import type { Lifted } from "./lift.js"
import { fragmentsOf } from "./limits.js"
import type { Values } from "./variables.js"

/** A field at the root of an operation, with its arguments and its name in the answer. */
export type RootField = {
  readonly field: GraphQLField<unknown, unknown>
  readonly args: Values
  readonly responseName: string
}

/** The fields at the root of a lifted operation. */
export function rootFields(
  schema: GraphQLSchema,
  { document, node }: Pick<Lifted, "document" | "node">,
  values: Values,
): RootField[] {
  const fields = schema.getRootType(node.operation)?.getFields() ?? {}
  return rootFieldNodes(document, node).flatMap((root) => {
    const field = fields[root.name.value]
    const responseName = (root.alias ?? root.name).value
    return field ? [{ field, args: argumentsOf(field, root, values), responseName }] : []
  })
}

/** The fields at the root of an operation, those of fragments too. */
export function rootFieldNodes(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document)
  const fieldNodes = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldNodes(selection.selectionSet)
      const fragment = fragments.get(selection.name.value)
      return fragment ? fieldNodes(fragment.selectionSet) : []
    })
  return fieldNodes(selectionSet)
}

function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, values: Values): Values {
  const args: Values = {}
  for (const { name, defaultValue } of field.args) {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value
    const value = given?.kind === Kind.VARIABLE ? values[given.name.value] : undefined
    if (value !== undefined || defaultValue !== undefined) args[name] = value === undefined ? defaultValue : value
  }
  return args
}

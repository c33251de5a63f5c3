import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql"
import { fragmentsOf } from "./limits.js"
import type { Values } from "./variables.js"

/** An operation may be answered so many times what the tools ask for that read the whole schema. */
const WHOLE_SCHEMAS = 1.5

const META_FIELDS = { __schema: SchemaMetaFieldDef, __type: TypeMetaFieldDef } as const

const budgets = new WeakMap<GraphQLSchema, number>()

/** How many values of the schema one operation may be answered with: a text that is new each time is made anew each time. */
function budgetOf(schema: GraphQLSchema): number {
  const known = budgets.get(schema)
  if (known !== undefined) return known
  const whole = parse(
    getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  )
  const [operation] = whole.definitions as [OperationDefinitionNode]
  const [root] = operation.selectionSet.selections as [FieldNode]
  const counted = countValues(schema, fragmentsOf(whole), Number.POSITIVE_INFINITY)(root, {})
  const budget = Math.ceil(WHOLE_SCHEMAS * counted)
  budgets.set(schema, budget)
  return budget
}

/** Whether a field at the root of an operation asks for the schema, or a part of it. */
export const asksSchema = ({ name, selectionSet }: FieldNode): boolean =>
  name.value in META_FIELDS && selectionSet !== undefined

/**
 * Why an operation asks for more of the schema than it may; undefined when it does not.
 * @param asked its fields that {@link asksSchema}
 */
export function introspectionRefusal(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  asked: readonly FieldNode[],
  variables: Values,
): GraphQLError | undefined {
  const budget = budgetOf(schema)
  const count = countValues(schema, fragments, budget)
  if (asked.every((root) => count(root, variables) <= budget)) return undefined
  return new GraphQLError(
    `The operation asks for more than ${budget} values of the schema. Ask for it once, as the tools do that read all of it.`,
    { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
  )
}

/**
 * Makes what counts the values, leaves too, that `__schema` or `__type` is answered with, up to just above `most`: it takes no
 * longer than an answer of that size would.
 */
function countValues(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  most: number,
): (root: FieldNode, variables: Values) => number {
  const info = { schema } as GraphQLResolveInfo
  let values = 0

  function count({ selections }: SelectionSetNode, type: GraphQLObjectType, thing: unknown): void {
    for (const node of selections) {
      if (++values > most) return
      if (node.kind === Kind.FIELD) {
        if (node.selectionSet) countBelow(node.selectionSet, type.getFields()[node.name.value], thing)
      } else {
        const inside = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
        if (inside) count(inside.selectionSet, type, thing)
      }
    }
  }

  function countBelow(
    selected: SelectionSetNode,
    field: GraphQLField<unknown, unknown> | undefined,
    of: unknown,
  ): void {
    const type = field && getNamedType(field.type)
    const found = isObjectType(type) ? field?.resolve?.(of, { includeDeprecated: true }, undefined, info) : undefined
    if (found == null) return
    for (const thing of Array.isArray(found) ? found : [found]) count(selected, type as GraphQLObjectType, thing)
  }

  return ({ name: { value: asked }, selectionSet, arguments: [argument] = [] }, variables) => {
    const given = argument?.value
    const name =
      given?.kind === Kind.VARIABLE ? variables[given.name.value] : given?.kind === Kind.STRING && given.value
    const field = META_FIELDS[asked as keyof typeof META_FIELDS]
    const thing = field.resolve?.(undefined, { name }, undefined, info)
    if (selectionSet && thing) count(selectionSet, getNamedType(field.type) as GraphQLObjectType, thing)
    return values
  }
}

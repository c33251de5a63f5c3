import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  print,
  type SelectionSetNode,
} from "graphql"
import { limitedTypeOf } from "../../operations/standard-types.js"
import { snakeCase } from "../../statement.js"
import { inRestWords } from "../rest/wire-case.js"
import { exampleOf } from "./example.js"
import { type JsonSchema, schemaNamed } from "./json-schema.js"
import type { Row } from "./row.js"
import { leafSchema } from "./scalar.schemas.js"

/** What an operation answers: its schema and one value of it. */
export type ResponseSchema = { readonly schema: JsonSchema; readonly example: unknown }

/**
 * Says in schemas what `writerOf` makes of a result: names in snake_case, unset members left out, `type` for `__typename`. An
 * object becomes a schema of its own in `schemas`, named as its type, or as the operation where another operation shows other
 * members of the type.
 */
export function answerOf(
  graphql: GraphQLSchema,
  { field, node, route }: Row,
  schemas: Map<string, JsonSchema>,
): ResponseSchema {
  const scope = { graphql, schemas, operationId: field.name, owner: "" }
  if (!route.options.isPage) return shapeOf(limitedTypeOf(field), node, scope)
  const nodes = node.selectionSet?.selections.find((one) => one.kind === Kind.FIELD && one.name.value === "nodes")
  const type = (getNullableType(field.type) as GraphQLObjectType).getFields().nodes?.type as GraphQLOutputType
  return shapeOf(type, nodes as FieldNode, scope)
}

type Scope = {
  readonly graphql: GraphQLSchema
  readonly schemas: Map<string, JsonSchema>
  readonly operationId: string
  readonly owner: string
}

function shapeOf(type: GraphQLOutputType, node: FieldNode, scope: Scope): ResponseSchema {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const { schema, example } = shapeOf(nullable.ofType, node, scope)
    const isLeaf = !isObjectType(getNamedType(type))
    const listed = isLeaf ? exampleOf(scope.owner, node.name.value, getNamedType(type), true) : [example]
    return { schema: { type: "array", items: schema }, example: listed }
  }
  if (isObjectType(nullable) && node.selectionSet !== undefined) return objectOf(nullable, node.selectionSet, scope)
  if (isUnionType(nullable) && node.selectionSet !== undefined) return unionOf(node.selectionSet, scope)
  const named = getNamedType(type)
  return { schema: leafSchema(named, "written"), example: exampleOf(scope.owner, node.name.value, named, false) }
}

/** One of several kinds of object, told apart by their `type`; the example is a task. */
function unionOf({ selections }: SelectionSetNode, scope: Scope): ResponseSchema {
  const shapes = selections.flatMap((node) => {
    const type = node.kind === Kind.INLINE_FRAGMENT && scope.graphql.getType(node.typeCondition?.name.value ?? "")
    return type && isObjectType(type) && "selectionSet" in node
      ? [objectOf(type, node.selectionSet as SelectionSetNode, scope)]
      : []
  })
  const example = shapes.map((shape) => shape.example as { type?: string }).find(({ type }) => type === "task")
  return { schema: { oneOf: shapes.map(({ schema }) => schema) }, example }
}

/** What an open task does not have. */
const UNSET_IN_EXAMPLES = new Set(["completedAt", "completedById"])

function objectOf(type: GraphQLObjectType, selection: SelectionSetNode, scope: Scope): ResponseSchema {
  const properties: Record<string, JsonSchema> = {}
  const example: Record<string, unknown> = {}
  const required: string[] = []
  for (const node of selection.selections as readonly FieldNode[]) {
    const field = type.getFields()[node.name.value]
    const member = field === undefined ? "type" : snakeCase(node.name.value)
    if (field === undefined) {
      const name = snakeCase(type.name).slice(1)
      properties.type = { type: "string", const: name, description: "The kind of object." }
      example.type = name
    } else {
      const value = shapeOf(limitedTypeOf(field), node, { ...scope, owner: type.name })
      properties[member] = described(value.schema, field.description)
      if (!UNSET_IN_EXAMPLES.has(field.name)) example[member] = value.example
    }
    if (field === undefined || isNonNullType(field.type)) required.push(member)
  }
  const schema = { type: "object", description: inRestWords(type.description ?? ""), required, properties }
  return { schema: schemaNamed(nameFor(type, selection, schema, scope)), example }
}

/** The more particular of two descriptions comes first: the field's, then its type's. */
const described = (schema: JsonSchema, text: string | null | undefined): JsonSchema => {
  const all = [text == null ? undefined : inRestWords(text), schema.description].filter(Boolean).join(" ")
  return all === "" ? schema : { ...schema, description: all }
}

/** The name under which the schema is kept; what is the same is kept once. */
function nameFor(type: GraphQLObjectType, selection: SelectionSetNode, schema: JsonSchema, scope: Scope): string {
  const members = { ...schema, "x-graphql-type": type.name }
  const text = JSON.stringify(members)
  const operation = scope.operationId.charAt(0).toUpperCase() + scope.operationId.slice(1)
  for (const name of [type.name, `${operation}Answer`]) {
    const known = scope.schemas.get(name)
    if (known === undefined) scope.schemas.set(name, members)
    if (known === undefined || JSON.stringify(known) === text) return name
  }
  throw new TypeError(`${scope.operationId} shows ${type.name} in a third way: ${print(selection)}`)
}

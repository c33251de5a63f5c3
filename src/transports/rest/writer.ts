import {
  type DocumentNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql"
import { snakeCase } from "../../statement.js"

/** Writes a result as the REST contract's JSON. */
export type Writer = (value: unknown) => string

const ITEMS_AT_ONCE = 64
const NEEDS_ESCAPE = /["\\\p{Cc}\p{Cs}]/u

const text = (value: string): string =>
  value.length < 5_000 && !NEEDS_ESCAPE.test(value) ? `"${value}"` : JSON.stringify(value)

/**
 * Turns the selection set of an operation with one root field into a function from that field's value to JSON: names in
 * snake_case, members in the document's order, unset ones left out, ids as integers, `__typename` as `type` in snake_case.
 * Of a union each type has a fragment of its own. The names come from our own documents; nothing that a client sends becomes code.
 * @param isPage the value is a page of a connection, of which only the nodes are written
 */
export function writerOf(schema: GraphQLSchema, document: DocumentNode, isPage = false): Writer {
  const operation = document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode
  const functions: string[] = []
  const root = schema.getRootType(operation.operation) as GraphQLObjectType
  const [field] = operation.selectionSet.selections
  if (operation.selectionSet.selections.length !== 1 || field?.kind !== Kind.FIELD)
    throw new TypeError("An operation that answers a REST row has exactly one root field.")
  const type = root.getFields()[field.name.value]?.type
  if (type === undefined) throw new TypeError(`${root.name} has no field ${field.name.value}.`)
  const expression = isPage
    ? nodesOf(type, field.selectionSet, functions)
    : expressionOf(type, field.selectionSet, "value", functions)
  return new Function("text", "snakeCase", `${functions.join("\n")}\nreturn (value) => ${expression}`)(text, snakeCase)
}

function nodesOf(type: GraphQLOutputType, selection: SelectionSetNode | undefined, functions: string[]): string {
  const nodes = selection?.selections.find((node) => node.kind === Kind.FIELD && node.name.value === "nodes")
  const field = (getNullableType(type) as GraphQLObjectType).getFields().nodes
  if (nodes?.kind !== Kind.FIELD || field === undefined) throw new TypeError("A page asks for its nodes.")
  return expressionOf(field.type, nodes.selectionSet, "value.nodes", functions)
}

/** The code that writes the value of `name`; functions that it calls are added to `functions`. */
function expressionOf(
  type: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  name: string,
  functions: string[],
): string {
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const item = expressionOf(nullable.ofType, selection, "items[i]", functions)
    const list = `write${functions.length}`
    // A text that grows is a tree of its pieces until a character of it is read. Read bit by bit, the pieces are soon collected.
    functions.push(`function ${list}(items) {
      let s = "["
      for (let start = 0; start < items.length; start += ${ITEMS_AT_ONCE}) {
        let part = ""
        for (let i = start; i < items.length && i < start + ${ITEMS_AT_ONCE}; i++) part += (i === 0 ? "" : ",") + ${item}
        if (part.charCodeAt(0) > 0) s += part
      }
      return s + "]"
    }`)
    return `${list}(${name})`
  }
  if (isObjectType(nullable) && selection !== undefined) {
    const members = membersOf(nullable, selection, functions)
    const object = `write${functions.length}`
    functions.push(`function ${object}(v) { let s = ""; ${members} return "{" + s + "}" }`)
    return `${object}(${name})`
  }
  if (isUnionType(nullable) && selection !== undefined) {
    const cases = selection.selections.map((node) => {
      if (node.kind !== Kind.INLINE_FRAGMENT) throw new TypeError("A REST row's document has a fragment for each type.")
      const type = nullable.getTypes().find((one) => one.name === node.typeCondition?.name.value)
      if (type === undefined) throw new TypeError(`${nullable.name} has no such type.`)
      return `case ${JSON.stringify(type.name)}: return ${expressionOf(type, node.selectionSet, "v", functions)}`
    })
    const union = `write${functions.length}`
    functions.push(`function ${union}(v) { switch (v.__typename) { ${cases.join("\n")} } }`)
    return `${union}(${name})`
  }
  const scalar = "name" in nullable ? nullable.name : ""
  if (scalar === "ID" || scalar === "Int" || scalar === "Boolean") return name
  return scalar === "JSONObject" || scalar === "Float" ? `JSON.stringify(${name})` : `text(${name})`
}

function membersOf(type: GraphQLObjectType, { selections }: SelectionSetNode, functions: string[]): string {
  let isFirst = true
  let code = ""
  for (const node of selections) {
    if (node.kind !== Kind.FIELD) throw new TypeError("A REST row's document names its fields one by one.")
    const field = node.name.value
    const isTypename = field === "__typename"
    const fieldType = type.getFields()[field]?.type
    if (!isTypename && fieldType === undefined) throw new TypeError(`${type.name} has no field ${field}.`)
    // Under a name of the document's own, where two types of a union have fields of one name that cannot be merged.
    const place = `v.${(node.alias ?? node.name).value}`
    const member = JSON.stringify(isTypename ? "type" : snakeCase(field))
    const value =
      isTypename || fieldType === undefined
        ? JSON.stringify(JSON.stringify(snakeCase(type.name).slice(1)))
        : expressionOf(fieldType, node.selectionSet, place, functions)
    const isSet = isTypename || isNonNullType(fieldType)
    // After a member that is always there the comma is known; before that it depends on what was written.
    const comma = isFirst ? (code === "" ? '""' : '(s === "" ? "" : ",")') : '","'
    const write = `s += ${comma} + ${JSON.stringify(`${member}:`)} + ${value};`
    code += isSet ? write : `if (${place} != null) { ${write} }`
    if (isSet) isFirst = false
  }
  return code
}

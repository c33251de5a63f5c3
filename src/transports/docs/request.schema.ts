import {
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql"
import { limitedTypeOf } from "../../operations/standard-types.js"
import { snakeCase } from "../../statement.js"
import { inRestWords } from "../rest/wire-case.js"
import { exampleOf } from "./example.js"
import { type JsonSchema, orNull, schemaNamed } from "./json-schema.js"
import { placeFor, type Row } from "./row.js"
import { leafSchema } from "./scalar.schemas.js"

/** What a row reads from its path and query, and from its body. */
export type RequestShape = {
  readonly parameters: readonly object[]
  readonly requestBody: object | undefined
  /** The values of the examples as variables of the operation. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Whether it names something by its identifier, which may not be there. */
  readonly namesThings: boolean
  /** Whether a value can be of the right type and beyond a limit. */
  readonly hasLimits: boolean
}

const UNLIMITED = new Set(["ID", "Int", "Boolean"])

/** Says in schemas what `parametersOf` makes of the row's variables. Inputs become schemas of their own in `schemas`. */
export function requestOf(schema: GraphQLSchema, row: Row, schemas: Map<string, JsonSchema>): RequestShape {
  const { operation, route } = row
  const parameters: object[] = []
  const variables: Record<string, unknown> = {}
  let requestBody: object | undefined
  let namesThings = false
  const { mustSay } = route.options
  let hasLimits = mustSay !== undefined
  if (mustSay !== undefined) requestBody = saying(mustSay)
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    const type = typeFromAST(schema, typeNode as never) as unknown as GraphQLInputType
    const named = getNamedType(type)
    if (isInputObjectType(named)) {
      const body = bodyOf(named, schemas, route.options.requires ?? [])
      requestBody = {
        required: true,
        content: { "application/json": { schema: schemaNamed(named.name), example: body.example } },
      }
      variables[name] = body.value
      namesThings ||= Object.values(named.getFields()).some((one) => getNamedType(one.type).name === "ID")
      hasLimits = true
      continue
    }
    const place = placeFor(row, name)
    const limited = place === undefined ? named : getNamedType(limitedTypeOf(place as GraphQLArgument))
    const isList = isListType(getNullableType(type))
    const words = route.options.words?.[name]
    const example = exampleOf(ownerOf(row), name === "id" ? "id" : name, limited, isList)
    variables[name] = example
    namesThings ||= named.name === "ID"
    hasLimits ||= !UNLIMITED.has(limited.name)
    const isInPath = name === "id"
    const isRevision = route.method === "DELETE" && name === "revision"
    parameters.push({
      name: snakeCase(name),
      in: isInPath ? "path" : "query",
      required: isInPath || isNeeded(row, name, isNonNullType(type) && defaultValue === undefined),
      description: [inRestWords(place?.description ?? ""), isRevision ? REVISION : ""].filter(Boolean).join(" "),
      ...inQuery(limited, isList, limited.name === "AssigneeId" ? undefined : words, example),
    })
  }
  return { parameters, requestBody, variables, namesThings, hasLimits }
}

/** How a value is written in a query: a list with commas, and some values by words. */
function inQuery(
  type: GraphQLNamedType,
  isList: boolean,
  words: Readonly<Record<string, unknown>> | undefined,
  example: unknown,
): object {
  if (words !== undefined)
    return { schema: { type: "string", enum: Object.keys(words) }, example: Object.keys(words)[0] }
  const schema = withoutDescription(leafSchema(type, "read"))
  if (!isList) return { schema, example }
  return { style: "form", explode: false, schema: { type: "array", items: schema }, example }
}

/** A body whose only member has one value. */
const saying = ({ member, value }: NonNullable<Row["route"]["options"]["mustSay"]>): object => ({
  required: true,
  content: {
    "application/json": {
      schema: { type: "object", required: [member], properties: { [member]: { type: "string", const: value } } },
      example: { [member]: value },
    },
  },
})

const REVISION = 'It may stand in a JSON body, `{"revision":3}`, instead.'

/** Needed in one dialect and not in the other is not needed, as far as a document for both can say. */
const isNeeded = ({ wunderlist }: Row, name: string, isRequired: boolean): boolean =>
  isRequired && (wunderlist === undefined || hasVariable(wunderlist.operation, name))

const hasVariable = ({ variableDefinitions = [] }: OperationDefinitionNode, name: string): boolean =>
  variableDefinitions.some(({ variable }) => variable.name.value === name)

const withoutDescription = ({ description: _, ...schema }: JsonSchema): JsonSchema => schema

/** The thing that `:id` and `revision` are of. */
function ownerOf({ route, field }: Row): string {
  const named = getNamedType(field.type).name
  return named === "Boolean" ? field.name.replace(/^delete/, "") : route.path.startsWith("/uploads") ? "Upload" : named
}

type Body = { readonly value: Record<string, unknown>; readonly example: Record<string, unknown> }

/** Members that an update's example sends beside those that it must. */
const SHOWN_CHANGES = 2

function bodyOf(type: GraphQLInputObjectType, schemas: Map<string, JsonSchema>, required: readonly string[]): Body {
  const properties: Record<string, JsonSchema> = {}
  const needed: string[] = []
  const body: Body = { value: {}, example: {} }
  const isUpdate = type.name.startsWith("Update")
  let changes = 0
  for (const field of Object.values(type.getFields())) {
    const member = snakeCase(field.name)
    const isRequired = isRequiredInputField(field) || required.includes(field.name)
    const isList = isListType(getNullableType(field.type))
    const named = getNamedType(limitedTypeOf(field))
    const leaf = leafSchema(named, "read")
    const schema = isList ? { type: "array", items: withoutDescription(leaf) } : leaf
    // The description of a member with a limit names it already.
    const ofType = limitedTypeOf(field) === field.type ? leaf.description : undefined
    const description = [inRestWords(field.description ?? ""), ofType].filter(Boolean).join(" ")
    const takesNull = !isRequired && field.extensions.refusesNull !== true
    properties[member] = { ...(takesNull ? orNull(schema) : schema), description }
    if (isRequired) needed.push(member)
    const isShown = isRequired || (isUpdate ? changes++ < SHOWN_CHANGES : !HIDDEN.has(`${type.name}.${field.name}`))
    if (!isShown || HIDDEN.has(`${type.name}.${field.name}`)) continue
    const example = exampleOf(type.name, field.name, named, isList)
    body.value[field.name] = named.name === "TaskAttribute" ? ["dueDate"] : example
    body.example[member] = example
  }
  schemas.set(type.name, {
    type: "object",
    description: inRestWords(type.description ?? ""),
    ...(needed.length > 0 && { required: needed }),
    properties,
    "x-graphql-type": type.name,
  })
  return body
}

/** What an example leaves out, as it cannot go together with the rest or would only distract. */
const HIDDEN = new Set([
  "CreateMembershipInput.userId",
  "CreateUploadInput.md5sum",
  "CreateTaskInput.completed",
  "CreateSubtaskInput.completed",
  "UpdateReminderInput.id",
  "UpdateTaskInput.assigneeId",
  "UpdateTaskInput.listId",
])

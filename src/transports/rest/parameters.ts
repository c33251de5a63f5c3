import type { IncomingMessage } from "node:http"
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql"
import { BadRequest, InvalidFields, MissingParameter, type Violations } from "../../errors.js"
import type { Route } from "../../operations/route.js"
import { limitedTypeOf } from "../../operations/standard-types.js"
import { snakeCase } from "../../statement.js"
import { schemaName } from "./wire-case.js"

/** What a request brings, before it is known what it means. */
export type Sent = {
  /** The path's `:id`, if it has one. */
  readonly id: string | undefined
  readonly query: ReadonlyMap<string, string>
  /** The body as JSON; undefined without one. */
  readonly body: unknown
}

type Variables = Record<string, unknown>
type Read = (sent: Sent, variables: Variables, violations: Violations) => void

/** Reads the query of a request; `+` is a space. @throws BadRequest for a parameter that is repeated or badly encoded */
export function queryOf({ url = "" }: Pick<IncomingMessage, "url">): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  const start = url.indexOf("?")
  if (start === -1) return query
  const text = url.slice(start + 1)
  for (const [name, value] of pairsOf(text)) {
    if (value.includes("\ufffd") && text.split("&").some(isBadlyEncoded))
      throw new BadRequest(`The parameter ${name} is not valid percent-encoded UTF-8.`, {
        [name]: ["must be valid percent-encoded UTF-8"],
      })
    if (query.has(name))
      throw new BadRequest(`The parameter ${name} is given more than once.`, { [name]: ["must be given once"] })
    query.set(name, value)
  }
  return query
}

/** Most queries are a number or two, with nothing to decode. */
const pairsOf = (query: string): Iterable<[string, string]> =>
  /^\w+=\w+$/.test(query) ? [query.split("=") as [string, string]] : new URLSearchParams(query)

/** Whether a pair holds bytes that are no UTF-8: they come decoded as U+FFFD, which somebody may also have meant. A lone `%` is one. */
function isBadlyEncoded(pair: string): boolean {
  try {
    decodeURIComponent(pair.replace(/%(?![\da-f]{2})/gi, "%25"))
    return false
  } catch {
    return true
  }
}

const TRUE = ["true", "True", "TRUE", "1"]
const FALSE = ["false", "False", "FALSE", "0"]

/** A query's text as a boolean; undefined when it is none. */
export const booleanOf = (text: string): boolean | undefined =>
  TRUE.includes(text) ? true : FALSE.includes(text) ? false : undefined

/** An identifier of a query as it is written here: §2 takes any decimal digits. */
export const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, "")

/** What is beyond is outside of every limit that a parameter has, and so is the largest that GraphQL takes. */
const MAX_INT = 2_147_483_647

/** A query's text as the value of a type; undefined when it is none, and then `wanted` says what it should be. */
function fromQuery(type: string, text: string): unknown {
  if (type === "Boolean") return booleanOf(text)
  if (type === "ID") return /^\d+$/.test(text) ? withoutZeros(text) : undefined
  if (type === "Int") return /^\d+$/.test(text) ? Number(text) : undefined
  return text
}

const wanted = (type: string): string => (type === "Boolean" ? "must be a boolean" : "must be an integer")

/** Identifiers with commas between them; undefined when it is something else. */
const idsFrom = (text: string): string[] | undefined => {
  const ids = text.split(",")
  return ids.every((id) => /^\d+$/.test(id)) ? ids.map(withoutZeros) : undefined
}

const readQuery = (name: string, type: GraphQLInputType, words: Readonly<Record<string, unknown>> = {}): Read => {
  const parameter = snakeCase(name)
  const named = getNamedType(type).name
  const isList = isListType(getNullableType(type))
  const isClosed = Object.keys(words).length > 0 && named !== "ID"
  return ({ query }, variables, violations) => {
    const text = query.get(parameter)
    if (text === undefined) return
    const value = Object.hasOwn(words, text)
      ? words[text]
      : isClosed
        ? undefined
        : isList
          ? idsFrom(text)
          : fromQuery(named, text)
    if (value !== undefined) variables[name] = named === "Int" ? Math.min(Number(value), MAX_INT) : value
    else if (isClosed) violations[name] = [`must be one of ${Object.keys(words).join(", ")}`]
    else violations[name] = [isList ? "must be integers with commas between them" : wanted(named)]
  }
}

/** @throws BadRequest for a parameter that the row does not have */
const refuseUnknown =
  (names: readonly string[]): Read =>
  ({ query }) => {
    for (const name of query.keys())
      if (!names.includes(name))
        throw new BadRequest(`There is no parameter ${name} here. There are ${names.join(", ")}.`, {
          [name]: ["is no parameter here"],
        })
  }

/** A body's own member by its name in the contract; what it inherits or does not know is not seen. */
const bodyMember = (body: object, member: string): unknown =>
  Object.hasOwn(body, member) ? (body as Record<string, unknown>)[member] : undefined

const readId: Read = ({ id }, variables) => {
  variables.id = id
}

/** Where REST is stricter than GraphQL: ids are JSON numbers, and one value is no array of one. */
function mistyped(type: GraphQLInputType, value: unknown): string | undefined {
  if (value === null) return undefined
  const isList = isListType(getNullableType(type))
  if (isList && !Array.isArray(value)) return "must be an array"
  if (getNamedType(type).name !== "ID") return undefined
  const items: unknown[] = isList ? (value as unknown[]) : [value]
  return items.every((item) => item === null || Number.isInteger(item)) ? undefined : "must be an integer"
}

/** Names of members are values here, so they have REST's spelling as the members themselves do. */
const named = (type: GraphQLInputType, value: unknown): unknown =>
  getNamedType(type).name === "TaskAttribute" && Array.isArray(value)
    ? value.map((item: unknown) => (typeof item === "string" ? schemaName(item) : item))
    : value

/** Members that the input knows; null is as good as absent where something is made (§2). */
const readInput = (input: GraphQLInputObjectType, isCreate: boolean, required: readonly string[]): Read => {
  const fields = Object.values(input.getFields()).map((field) => {
    return { name: field.name, type: limitedTypeOf(field), inBody: snakeCase(field.name) }
  })
  return ({ body = {} }, variables, violations) => {
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw new BadRequest("The body must be a JSON object.")
    const value: Variables = {}
    for (const { name, type, inBody } of fields) {
      const member = bodyMember(body, inBody)
      if (member === undefined || (isCreate && member === null)) {
        if (required.includes(name)) violations[name] = ["required"]
        continue
      }
      const fault = mistyped(type, member)
      if (fault === undefined) value[name] = named(type, member)
      else violations[name] = [fault]
    }
    variables.input = value
  }
}

/** A member that has one value and becomes no variable. @throws InvalidFields for another value, when nothing else is wrong */
const readSaid =
  ({ member, value }: NonNullable<Route["options"]["mustSay"]>): Read =>
  ({ body = {} }, _variables, violations) => {
    if (typeof body !== "object" || body === null || Array.isArray(body))
      throw new BadRequest("The body must be a JSON object.")
    const said = bodyMember(body, member)
    if (said === undefined || said === null) violations[member] = ["required"]
    else if (typeof said !== "string") violations[member] = ["must be a string"]
    else if (said !== value) throw new InvalidFields({ [member]: [`must be ${value}`] })
  }

/** A DELETE's revision stands in the query or in the body; when both are there they agree. */
const readRevision =
  (mayBeString: boolean): Read =>
  ({ query, body }, variables, violations) => {
    if (body !== undefined && (typeof body !== "object" || body === null || Array.isArray(body)))
      throw new BadRequest("The body must be a JSON object.")
    const text = query.get("revision")
    const inQuery = text === undefined ? undefined : fromQuery("Int", text)
    let inBody = body === undefined || body === null ? undefined : bodyMember(body, "revision")
    if (inBody === null) inBody = undefined
    if (mayBeString && typeof inBody === "string" && /^\d+$/.test(inBody)) inBody = Number(inBody)
    if ((text !== undefined && inQuery === undefined) || (inBody !== undefined && !Number.isInteger(inBody)))
      violations.revision = ["must be an integer"]
    else if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
      violations.revision = ["must be the same in the query and in the body"]
    else variables.revision = inQuery ?? inBody
  }

/**
 * How a row's parameters become the variables of its document (see {@link Route}). Values are checked for their JSON type
 * only as far as REST is stricter than GraphQL; the rest is for the schema to say.
 * @throws MissingParameter for what is of the wrong type, BadRequest for a body that is no object, InvalidFields
 */
export function parametersOf(
  schema: GraphQLSchema,
  { method, options }: Route,
  document: DocumentNode,
): (sent: Sent) => Variables {
  const operation = document.definitions.find(
    (node) => node.kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode
  const reads = (operation.variableDefinitions ?? []).map(({ variable, type: node }): Read => {
    const name = variable.name.value
    const declared = typeFromAST(schema, node as never) as unknown as GraphQLInputType
    const type = getNamedType(declared)
    if (isInputObjectType(type)) return readInput(type, method === "POST", options.requires ?? [])
    if (name === "id") return readId
    if (method === "DELETE" && name === "revision") return readRevision(options.revisionMayBeString === true)
    return readQuery(name, declared, options.words?.[name])
  })
  if (options.refusesUnknown)
    reads.unshift(
      refuseUnknown((operation.variableDefinitions ?? []).map(({ variable }) => snakeCase(variable.name.value))),
    )
  if (options.mustSay !== undefined) reads.push(readSaid(options.mustSay))
  return (sent) => {
    const variables: Variables = {}
    const violations: Violations = {}
    for (const read of reads) read(sent, variables, violations)
    if (Object.keys(violations).length > 0) throw new MissingParameter(violations)
    return variables
  }
}

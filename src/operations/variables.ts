import {
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
} from "graphql"
import { Problem } from "../errors.js"
import { limitedTypeOf } from "./standard-types.js"

/** Variables or arguments by name. */
export type Values = Record<string, unknown>

/** One thing that is wrong with what a client sent. */
export type Violation = {
  /** The member of the input, `due.from` where it lies deeper, or the variable's name. */
  readonly field: string
  /** What would be right: "must be an integer". */
  readonly text: string
  /** Left out, of the wrong JSON type, not a member that the input has, or outside a limit of its scalar. */
  readonly kind: "missing" | "type" | "unknown" | "limit"
}

/** Turns one value as it was sent into what resolvers get; reports what is wrong with it and leaves that out. */
export type Coerce = (value: unknown, field: string, report: (violation: Violation) => void) => unknown

/**
 * Reads variables as an operation declares them. It accepts what graphql-js accepts (but no array for an object, and an
 * `undefined` member is absent), and where it refuses, it says which field and why. Types may contain themselves.
 */
export function variablesOf(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode) {
  const declared = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
    const type = typeFromAST(schema, node)
    if (!isInputType(type)) throw new TypeError(`$${variable.name.value} is not of an input type.`)
    const fallback = defaultValue && valueFromAST(defaultValue, type)
    return { name: variable.name.value, isRequired: isNonNullType(type), fallback, coerce: coercionOf(type) }
  })
  return (sent: Readonly<Values>): { values: Values; violations: Violation[] } => {
    const values: Values = {}
    const violations: Violation[] = []
    const report = (violation: Violation) => void violations.push(violation)
    for (const { name, isRequired, fallback, coerce } of declared) {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined
      if (value === undefined && (fallback !== undefined || !isRequired)) {
        if (fallback !== undefined) values[name] = fallback
        continue
      }
      const coerced = coerce(value, name, report)
      if (coerced !== undefined) values[name] = coerced
    }
    return { values, violations }
  }
}

const known = new WeakMap<GraphQLInputType, Coerce>()

/** How values of a type are read. Built once per type; one that contains itself finds the promise of its own function here. */
export function coercionOf(type: GraphQLInputType): Coerce {
  const built = known.get(type)
  if (built) return built
  let coerce: Coerce | undefined
  known.set(type, (value, field, report) => coerce?.(value, field, report))
  coerce = build(type)
  known.set(type, coerce)
  return coerce
}

function build(type: GraphQLInputType): Coerce {
  if (isNonNullType(type)) {
    const inner = coercionOf(type.ofType)
    return (value, field, report) => {
      if (value !== null && value !== undefined) return inner(value, field, report)
      report({ field, text: "required", kind: "missing" })
    }
  }
  const inner = isListType(type)
    ? list(coercionOf(type.ofType), isNonNullType(type.ofType))
    : isInputObjectType(type)
      ? object(type)
      : leaf(type as GraphQLLeafType)
  return (value, field, report) => (value === null || value === undefined ? null : inner(value, field, report))
}

const list =
  (item: Coerce, isRequired: boolean): Coerce =>
  (value, field, report) => {
    if (!Array.isArray(value)) {
      // GraphQL takes one value for a list of one. What is not even that was meant to be a list and is none.
      let isItem = true
      const only = item(value, field, ({ kind, ...violation }) => {
        isItem = false
        report(kind === "limit" ? { ...violation, kind } : { field, text: "must be an array", kind: "type" })
      })
      return isItem ? [only] : undefined
    }
    let isGood = true
    const items = value.map((entry) => {
      if (entry === null && isRequired) {
        isGood = false
        report({ field, text: "must not contain null", kind: "type" })
        return undefined
      }
      return item(entry, field, (violation) => {
        isGood = false
        report(violation)
      })
    })
    return isGood ? items : undefined
  }

/** The same for an input within another: its members are told with its name before theirs. */
const within =
  (coerce: Coerce): Coerce =>
  (value, field, report) =>
    coerce(value, field, (violation) =>
      report(violation.field === field ? violation : { ...violation, field: `${field}.${violation.field}` }),
    )

function object(type: GraphQLInputObjectType): Coerce {
  let members: Map<string, Coerce> | undefined
  const required: string[] = []
  const fallbacks: [string, unknown][] = []
  // Not before it is needed: the fields may be of this type again.
  const read = () => {
    const fields = Object.values(type.getFields())
    for (const { name, type: of, defaultValue } of fields) {
      if (defaultValue !== undefined) fallbacks.push([name, defaultValue])
      else if (isNonNullType(of)) required.push(name)
    }
    members = new Map(fields.map((field) => [field.name, memberOf(field)]))
    return members
  }
  return (value, field, report) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return void report({ field, text: "must be an object", kind: "type" })
    const sent = value as Values
    const coerced: Values = {}
    const known = members ?? read()
    for (const name of required)
      if (sent[name] === undefined) report({ field: name, text: "required", kind: "missing" })
    for (const name in sent) {
      const coerce = known.get(name)
      const member = sent[name]
      if (coerce === undefined) report({ field: name, text: `is not a member of ${type.name}`, kind: "unknown" })
      else if (member !== undefined) {
        const inner = coerce(member, name, report)
        if (inner !== undefined) coerced[name] = inner
      }
    }
    for (const [name, fallback] of fallbacks) if (sent[name] === undefined) coerced[name] = fallback
    return coerced
  }
}

/** How a member is read. Null leaves most as they are or clears them; `extensions.refusesNull` says that it does neither. */
function memberOf(member: GraphQLInputField): Coerce {
  const own = coercionOf(limitedTypeOf(member))
  const coerce = isInputObjectType(getNamedType(member.type)) ? within(own) : own
  if (member.extensions.refusesNull !== true) return coerce
  return (value, field, report) =>
    value === null
      ? report({ field, text: "cannot be removed; leave it out to keep it", kind: "limit" })
      : coerce(value, field, report)
}

function leaf(type: GraphQLLeafType): Coerce {
  const builtIn = BUILT_IN[type.name]
  if (builtIn)
    return (value, field, report) => {
      const violation = builtIn(value)
      if (violation === undefined) return value
      // No row has such a revision, so that it is stale, as any other that is not current (§9).
      if (field === "revision" && violation.kind === "limit" && (value as number) > 0) return MAX_INT
      return void report({ field, ...violation })
    }
  return (value, field, report) => {
    const violation = isEnumType(type) ? enumViolation(type, value) : undefined
    if (violation) return void report({ field, ...violation })
    try {
      const parsed = type.parseValue(value)
      if (parsed !== undefined) return parsed
      return void report({ field, text: `must be a ${type.name}`, kind: "type" })
    } catch (error) {
      return void report({ field, ...violationOfScalar(error) })
    }
  }
}

/** A scalar says "wrong type" with a TypeError and "outside the limit" with anything else. */
function violationOfScalar(error: unknown): Pick<Violation, "text" | "kind"> {
  if (error instanceof TypeError) return { text: error.message, kind: "type" }
  if (error instanceof Problem)
    return { text: Object.values(error.violations).flat().join(" and ") || error.message, kind: "limit" }
  return { text: error instanceof Error ? error.message : String(error), kind: "limit" }
}

type Check = (value: unknown) => Pick<Violation, "text" | "kind"> | undefined

const typed =
  (text: string, isOf: (value: unknown) => boolean): Check =>
  (value) =>
    isOf(value) ? undefined : { text, kind: "type" }

const MAX_INT = 2_147_483_647

/** GraphQL's own scalars, told in the words of the contract. */
const BUILT_IN: Record<string, Check | undefined> = {
  Int: (value) => {
    if (!Number.isInteger(value)) return { text: "must be an integer", kind: "type" }
    const isIn = (value as number) >= -2_147_483_648 && (value as number) <= MAX_INT
    return isIn ? undefined : { text: "must be between -2147483648 and 2147483647", kind: "limit" }
  },
  Float: typed("must be a number", Number.isFinite),
  Boolean: typed("must be a boolean", (value) => typeof value === "boolean"),
  String: typed("must be a string", (value) => typeof value === "string"),
}

function enumViolation(type: GraphQLEnumType, value: unknown): ReturnType<Check> {
  if (typeof value !== "string") return { text: "must be a string", kind: "type" }
  if (type.getValue(value)) return undefined
  const names = type.getValues().map(({ name }) => name)
  return { text: `must be one of ${names.join(", ")}`, kind: "limit" }
}

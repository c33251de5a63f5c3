import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLScalarType,
  GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql"
import { SHOWN_AS } from "../scalars/scalars.js"

type Typed = GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>

const LIMITED = "limited"

/** The type that values of an argument, member or field have to fit, where clients see a wider one. */
export function limitedTypeOf(place: GraphQLArgument | GraphQLInputField): GraphQLInputType
export function limitedTypeOf(place: GraphQLField<unknown, unknown>): GraphQLOutputType
export function limitedTypeOf({ type, extensions }: Typed): GraphQLType {
  return (extensions[LIMITED] as GraphQLType | undefined) ?? type
}

/**
 * Shows clients String, Int and Float where a scalar only adds a limit: a variable of theirs would have to be declared with a
 * name that no other service knows, and be declared anew when a limit changes. The limit stays on the argument or member, whose
 * description names it. Gives the schema without those scalars; its types are the same, changed.
 */
export function showStandardTypes(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) Object.values(type.getFields()).forEach(showInput)
    if (!isObjectType(type) && !isInterfaceType(type)) continue
    for (const field of Object.values(type.getFields())) {
      show(field)
      field.args.forEach(showInput)
    }
  }
  const { types, ...config } = schema.toConfig()
  return new GraphQLSchema({ ...config, types: types.filter((type) => shownTypeOf(type) === type) })
}

function show(place: Typed): GraphQLScalarType | undefined {
  const shown = shownTypeOf(place.type)
  if (shown === place.type) return undefined
  place.extensions = { ...place.extensions, [LIMITED]: place.type }
  const limit = getNamedType(place.type) as GraphQLScalarType
  place.type = shown as never
  return limit
}

function showInput(place: GraphQLArgument | GraphQLInputField): void {
  const limit = show(place)
  if (limit) place.description = [place.description, limit.description].filter(Boolean).join(" ")
}

function shownTypeOf(type: GraphQLType): GraphQLType {
  if (isNonNullType(type)) {
    const inner = shownTypeOf(type.ofType)
    return inner === type.ofType ? type : new GraphQLNonNull(inner as GraphQLScalarType)
  }
  if (isListType(type)) {
    const inner = shownTypeOf(type.ofType)
    return inner === type.ofType ? type : new GraphQLList(inner)
  }
  return isScalarType(type) ? ((type.extensions[SHOWN_AS] as GraphQLScalarType | undefined) ?? type) : type
}

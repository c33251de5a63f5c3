import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql"
import { declaredNeeds } from "../access/needs.js"
import type { Viewer } from "../context.js"
import { InsufficientScope } from "../errors.js"
import { SCOPES, Scope } from "../scalars/scope.js"

/** The scopes that an operation needs, in order. */
export type Needed = readonly Scope[]

/**
 * Whether a field leads to other objects, which a resolver reads: that needs `read`, or a token that may change one thing could see
 * all others in the answer.
 */
const leadsOn = ({ resolve, type }: GraphQLField<unknown, unknown>): boolean =>
  resolve !== undefined && isCompositeType(getNamedType(type))

/**
 * The scopes that a document of one operation needs, whatever its conditions leave out: those that its fields declare. None in
 * a schema that declares none.
 */
export function scopesNeeded(schema: GraphQLSchema, document: DocumentNode): Needed {
  const declared = new Set<Scope>()
  let reads = false
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      Field() {
        const field = types.getFieldDef()
        // The schema is nobody's data.
        if (!field || field.name.startsWith("__") || types.getParentType()?.name.startsWith("__")) return
        const needs = declaredNeeds(field)
        for (const scope of needs ?? []) declared.add(scope)
        if (needs === undefined && leadsOn(field)) reads = true
      },
    }),
  )
  if (reads && declared.size > 0) declared.add(Scope.read)
  return SCOPES.filter((scope) => declared.has(scope))
}

/** Undefined when a viewer's token has what an operation needs. Without a viewer there is nothing. */
export function lacking(needed: Needed, viewer: Viewer | undefined): InsufficientScope | undefined {
  for (const scope of needed) if (!viewer?.scopes.has(scope)) return new InsufficientScope(needed)
  return undefined
}

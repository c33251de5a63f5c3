import type { GraphQLField } from "graphql"
import { Extensions } from "type-graphql"
import type { Scope } from "../scalars/scope.js"

/**
 * Says beside a field which scopes a token needs for it. This is the only place where it is said: transports, the schema's
 * descriptions and the documents read it from the schema. Without a scope it says of a field that leads to objects that they are
 * part of the one that it belongs to. (ADR 41)
 */
export const Needs = (...scopes: readonly `${Scope}`[]) => Extensions({ needs: scopes })

/** What a field itself declares; undefined where it declares nothing. */
export const declaredNeeds = ({
  extensions,
}: Pick<GraphQLField<unknown, unknown>, "extensions">): readonly Scope[] | undefined =>
  extensions.needs as readonly Scope[] | undefined

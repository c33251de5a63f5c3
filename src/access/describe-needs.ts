import { type GraphQLSchema, isObjectType } from "graphql"
import { declaredNeeds } from "./needs.js"

/**
 * Adds to the description of each field which scopes it declares.
 * @throws TypeError for a root field that declares none, or a field that shows a secret and can be had without `manage`
 */
export function describeNeeds(schema: GraphQLSchema): void {
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields())) {
      const needs = declaredNeeds(field)
      const where = `${type.name}.${field.name}`
      if (roots.has(type) && (needs === undefined || needs.length === 0))
        throw new TypeError(`${where} does not say which scopes it needs: @Needs(…).`)
      if (field.extensions.secret === true && !needs?.some((scope) => scope === "manage"))
        throw new TypeError(`${where} shows a secret without @Needs("manage").`)
      if (needs !== undefined && needs.length > 0)
        field.description =
          `${field.description ?? ""} Scope: ${needs.map((scope) => `\`${scope}\``).join(" and ")}.`.trim()
    }
}

import { DirectiveLocation, GraphQLDirective, GraphQLSchema, type OperationDefinitionNode } from "graphql"

/** How many root fields an atomic mutation may have. */
export const MAX_ATOMIC_FIELDS = 100

const ATOMIC = new GraphQLDirective({
  name: "atomic",
  locations: [DirectiveLocation.MUTATION],
  description: `All of the mutation, at most ${MAX_ATOMIC_FIELDS} root fields, or nothing of it: they run in one transaction, one after another, and the first that is refused takes back all. What asks the storage or the network cannot be among them.`,
})

/** The same schema with `@atomic`. */
export function withAtomic(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig()
  return new GraphQLSchema({ ...config, directives: [...config.directives, ATOMIC] })
}

/** Whether an operation is to be made as a whole or not at all. */
export const isAtomic = ({ operation, directives = [] }: OperationDefinitionNode): boolean =>
  operation === "mutation" && directives.some(({ name }) => name.value === ATOMIC.name)

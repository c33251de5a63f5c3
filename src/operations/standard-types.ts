import type { GraphQLArgument, GraphQLInputField, GraphQLInputType } from "graphql"

/** The type that values of an argument or member have to fit. */
export const limitedTypeOf = ({ type }: GraphQLArgument | GraphQLInputField): GraphQLInputType => type

import { GraphQLError } from "graphql"

type Parts = {
  message?: string
  originalError?: Error
  extensions?: Record<string, unknown>
  path?: readonly (string | number)[] | undefined
}

/** An error of the same place in the document, and in the answer unless it is given, with other contents. */
export function copyError(error: GraphQLError, parts: Parts = {}): GraphQLError {
  const { nodes, locations } = error
  const path = parts.path ?? error.path
  const message = parts.message ?? error.message
  const originalError = parts.originalError ?? error.originalError
  const extensions = parts.extensions ?? error.extensions
  // graphql-jit gives locations without nodes, from which the constructor would take them.
  return Object.assign(new GraphQLError(message, { nodes, path, originalError, extensions }), { locations })
}

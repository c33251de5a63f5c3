import { type GraphQLError, Kind } from "graphql"
import { Problem } from "../../errors.js"
import type { Operation } from "../../operations/operations.js"

/** By the names of arguments of a row's field the names of the row's parameters, where they are others. */
export function namesIn({ node }: Operation): ReadonlyMap<string, string> {
  const [field] = node.selectionSet.selections
  const given = field?.kind === Kind.FIELD ? (field.arguments ?? []) : []
  return new Map(
    given.flatMap(({ name, value }) =>
      value.kind === Kind.VARIABLE && value.name.value !== name.value ? [[name.value, value.name.value]] : [],
    ),
  )
}

/** An error that calls arguments as the row does. */
export function inNamesOf(names: ReadonlyMap<string, string>, error: GraphQLError): GraphQLError {
  const problem = error instanceof Problem ? error : error.originalError
  if (!(problem instanceof Problem) || !Object.keys(problem.faults).some((name) => names.has(name))) return error
  const faults = Object.fromEntries(
    Object.entries(problem.faults).map(([name, texts]) => [names.get(name) ?? name, texts]),
  )
  const message = [...names].reduce(
    (text, [ours, theirs]) => text.replaceAll(`${ours} `, `${theirs} `),
    problem.message,
  )
  return new Problem(problem.kind, message, faults)
}

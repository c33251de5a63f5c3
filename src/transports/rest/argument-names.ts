import { type GraphQLError, Kind, type ValueNode } from "graphql"
import { InvalidFields, MissingParameter, Problem } from "../../errors.js"
import type { Operation } from "../../operations/operations.js"

/**
 * By the names of arguments of a row's field the names of the row's parameters, where they are others. A member of an input is
 * named as its violations are: `due.from` for `filter: { due: { from: $dueFrom } }`; by the argument too, where a rule needs both.
 */
export function namesIn({ node }: Operation): ReadonlyMap<string, string> {
  const [field] = node.selectionSet.selections
  const names = new Map<string, string>()
  const note = (value: ValueNode, path: string) => {
    if (value.kind === Kind.VARIABLE && value.name.value !== path) names.set(path, value.name.value)
    if (value.kind !== Kind.OBJECT) return
    for (const { name, value: inner } of value.fields) note(inner, path === "" ? name.value : `${path}.${name.value}`)
  }
  for (const { name, value } of field?.kind === Kind.FIELD ? (field.arguments ?? []) : [])
    for (const path of value.kind === Kind.OBJECT ? ["", name.value] : [name.value]) note(value, path)
  return names
}

/** An error that calls arguments as the row does. */
export function inNamesOf(names: ReadonlyMap<string, string>, error: GraphQLError): GraphQLError {
  const problem = error instanceof Problem ? error : error.originalError
  if (!(problem instanceof Problem) || !Object.keys(problem.violations).some((name) => names.has(name))) return error
  const inText = (text: string) =>
    [...names].reduce((told, [ours, theirs]) => (ours.includes(".") ? told.replaceAll(ours, theirs) : told), text)
  const violations: Record<string, string[]> = {}
  for (const [name, texts] of Object.entries(problem.violations)) {
    const theirs = names.get(name) ?? name
    violations[theirs] = [...new Set([...(violations[theirs] ?? []), ...texts.map(inText)])]
  }
  if (problem instanceof InvalidFields) return new InvalidFields(violations)
  if (problem instanceof MissingParameter) return new MissingParameter(violations)
  const message = [...names].reduce(
    (text, [ours, theirs]) => text.replaceAll(`${ours} `, `${theirs} `),
    problem.message,
  )
  return new Problem(problem.kind, message, violations)
}

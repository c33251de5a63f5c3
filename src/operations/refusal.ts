import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql"
import { BadRequest, type Faults, InvalidFields, MissingParameter, Problem } from "../errors.js"
import type { Lifted } from "./lift.js"
import { fragmentsOf } from "./limits.js"
import type { Fault, Values } from "./variables.js"

/**
 * Beside a mutation whose input can exceed a limit: asks what comes before the limits in the order of checks (visible, allowed,
 * revision), and throws that Problem. `args` lacks the members that are at fault.
 */
export type Verdict = (context: never, args: Values) => void | Promise<void>

type Request = {
  schema: GraphQLSchema
  lifted: Pick<Lifted, "document" | "node">
  context: unknown
  /** The lifted operation's values, without what is at fault. */
  values: Values
}

/**
 * The error for input that is at fault, in the contract's order: what is missing or mistyped, then what the root fields'
 * `extensions.verdict` finds, then the limits. (§9)
 */
export async function refusalOf(faults: readonly Fault[], request: Request): Promise<GraphQLError> {
  const early = mistyped(faults)
  if (early) return early
  try {
    await judge(request)
  } catch (error) {
    return error instanceof Problem ? error : new GraphQLError("A verdict failed.", { originalError: error as Error })
  }
  return new InvalidFields(byField(faults.filter(({ kind }) => kind === "limit")))
}

/** Asks the `extensions.verdict` of each root field. @throws what they throw */
export async function judge({ schema, lifted, context, values }: Request): Promise<void> {
  for (const { field, args } of rootFields(schema, lifted, values))
    await (field.extensions.verdict as Verdict | undefined)?.(context as never, args)
}

/** The error for faults that need no look at the data; undefined when there are only values outside of limits. */
export function mistyped(faults: readonly Fault[]): Problem | undefined {
  const missing = faults.filter(({ kind }) => kind === "missing" || kind === "type")
  if (missing.length > 0) return new MissingParameter(byField(missing))
  const unknown = byField(faults.filter(({ kind }) => kind === "unknown"))
  const names = Object.keys(unknown)
  return names.length > 0 ? new BadRequest(`Unknown input: ${names.join(", ")}.`, unknown) : undefined
}

function byField(faults: readonly Fault[]): Faults {
  const texts = new Map<string, Set<string>>()
  for (const { field, text } of faults) texts.set(field, (texts.get(field) ?? new Set()).add(text))
  return Object.fromEntries([...texts].map(([field, set]) => [field, [...set]]))
}

/** The fields at the root of a lifted operation with their arguments. */
export function rootFields(
  schema: GraphQLSchema,
  { document, node }: Pick<Lifted, "document" | "node">,
  values: Values,
): { field: GraphQLField<unknown, unknown>; args: Values }[] {
  const fields = schema.getRootType(node.operation)?.getFields() ?? {}
  return rootFieldNodes(document, node).flatMap((root) => {
    const field = fields[root.name.value]
    return field ? [{ field, args: argumentsOf(field, root, values) }] : []
  })
}

/** The fields at the root of an operation, those of fragments too. */
export function rootFieldNodes(document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] {
  const fragments = fragmentsOf(document)
  const fieldNodes = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldNodes(selection.selectionSet)
      const fragment = fragments.get(selection.name.value)
      return fragment ? fieldNodes(fragment.selectionSet) : []
    })
  return fieldNodes(selectionSet)
}

function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, values: Values): Values {
  const args: Values = {}
  for (const { name, defaultValue } of field.args) {
    const given = node.arguments?.find((argument) => argument.name.value === name)?.value
    const value = given?.kind === Kind.VARIABLE ? values[given.name.value] : undefined
    if (value !== undefined || defaultValue !== undefined) args[name] = value === undefined ? defaultValue : value
  }
  return args
}

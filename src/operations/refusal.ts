import { GraphQLError, type GraphQLSchema } from "graphql"
import { BadRequest, InvalidFields, isStale, MissingParameter, Problem, type Violations } from "../errors.js"
import type { Lifted } from "./lift.js"
import { type RootField, rootFields } from "./root-fields.js"
import { withStored } from "./stored.js"
import type { Values, Violation } from "./variables.js"

/**
 * Beside a mutation whose input can exceed a limit: asks what comes before the limits in the order of checks (visible, allowed,
 * revision), and throws that Problem. `args` lacks the invalid members.
 */
export type Precondition = (context: never, args: Values) => void | Promise<void>

type Request = {
  schema: GraphQLSchema
  lifted: Pick<Lifted, "document" | "node">
  context: unknown
  /** The lifted operation's values, without what is invalid. */
  values: Values
}

/**
 * The error for invalid input, in the contract's order: what is missing or mistyped, then what the root fields'
 * `extensions.precondition` finds, then the limits. (§9)
 */
export async function refusalOf(
  violations: readonly Violation[],
  { schema, lifted, context, values }: Request,
): Promise<GraphQLError> {
  const early = mistyped(violations)
  if (early) return early
  try {
    await judge(rootFields(schema, lifted, values), context)
  } catch (error) {
    return error instanceof Problem
      ? error
      : new GraphQLError("A precondition failed.", { originalError: error as Error })
  }
  return new InvalidFields(byField(violations.filter(({ kind }) => kind === "limit")))
}

/** Asks the `extensions.precondition` of each root field. @throws what they throw, with what is stored where a revision is stale */
export async function judge(fields: readonly RootField[], context: unknown): Promise<void> {
  for (const root of fields)
    try {
      await (root.field.extensions.precondition as Precondition | undefined)?.(context as never, root.args)
    } catch (error) {
      throw isStale(error) ? await withStored(error, root, context) : error
    }
}

/** The error for violations that need no look at the data; undefined when there are only values outside of limits. */
export function mistyped(violations: readonly Violation[]): Problem | undefined {
  const missing = violations.filter(({ kind }) => kind === "missing" || kind === "type")
  if (missing.length > 0) return new MissingParameter(byField(missing))
  const unknown = byField(violations.filter(({ kind }) => kind === "unknown"))
  const names = Object.keys(unknown)
  return names.length > 0 ? new BadRequest(`Unknown input: ${names.join(", ")}.`, unknown) : undefined
}

function byField(violations: readonly Violation[]): Violations {
  const texts = new Map<string, Set<string>>()
  for (const { field, text } of violations) texts.set(field, (texts.get(field) ?? new Set()).add(text))
  return Object.fromEntries([...texts].map(([field, set]) => [field, [...set]]))
}

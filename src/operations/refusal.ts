import { GraphQLError, type GraphQLSchema } from "graphql"
import { BadRequest, type Faults, InvalidFields, isStale, MissingParameter, Problem } from "../errors.js"
import type { Lifted } from "./lift.js"
import { type RootField, rootFields } from "./root-fields.js"
import { withStored } from "./stored.js"
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
export async function refusalOf(
  faults: readonly Fault[],
  { schema, lifted, context, values }: Request,
): Promise<GraphQLError> {
  const early = mistyped(faults)
  if (early) return early
  try {
    await judge(rootFields(schema, lifted, values), context)
  } catch (error) {
    return error instanceof Problem ? error : new GraphQLError("A verdict failed.", { originalError: error as Error })
  }
  return new InvalidFields(byField(faults.filter(({ kind }) => kind === "limit")))
}

/** Asks the `extensions.verdict` of each root field. @throws what they throw, with what is stored where a revision is stale */
export async function judge(fields: readonly RootField[], context: unknown): Promise<void> {
  for (const root of fields)
    try {
      await (root.field.extensions.verdict as Verdict | undefined)?.(context as never, root.args)
    } catch (error) {
      throw isStale(error) ? await withStored(error, root, context) : error
    }
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

import { type GraphQLSchema, getNamedType, getNullableType, isCompositeType, isListType, isObjectType } from "graphql"
import type { Held } from "../context.js"
import { TooLarge } from "../errors.js"

/** Entries of lists that one run may be given. */
const OBJECT_BUDGET = 100_000

const LEFT = Symbol("objects left")

/** Of so many entries at once what holds them is told. */
const PORTION = 1_000

/** What one run of a client's document may still be given, and was. */
export type Left = { count: number; untold: number; readonly held: Held | undefined }

type Counting = { [LEFT]?: Left; readonly held?: Held }

/**
 * Makes the resolvers of lists count what they give, in runs whose context says so: the cost of a document is a guess, and 30
 * aliases of `list { tasks }` are 300 objects or 3 million. Changes the schema itself, once.
 */
export function countListEntries(schema: GraphQLSchema): void {
  if (COUNTING.has(schema)) return
  COUNTING.add(schema)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const isCounted = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type))
      if (!isCounted || !resolve) continue
      field.resolve = (source, args, context: Counting | undefined, info) => {
        const result = resolve(source, args, context, info)
        const left = context?.[LEFT]
        if (left === undefined) return result
        return result instanceof Promise ? result.then((entries) => counted(left, entries)) : counted(left, result)
      }
    }
  }
}

const COUNTING = new WeakSet<GraphQLSchema>()

/** What counts one run in a context. */
export const openBudget = (context: unknown): Left => ({
  count: OBJECT_BUDGET,
  untold: 0,
  held: (context as Counting | null | undefined)?.held,
})

/** The context of one run whose lists are counted. */
export const countingContext = (context: unknown, left: Left): unknown => ({ ...(context as object), [LEFT]: left })

/** How many entries were given. */
export const entriesOf = ({ count }: Left): number => OBJECT_BUDGET - count

/** Why a run ended before its end; undefined when it was given no more entries than it may be. */
export const tooManyEntries = ({ count }: Left): TooLarge | undefined => (count < 0 ? TOO_MANY : undefined)

function counted(left: Left, entries: unknown): unknown {
  const more = 1 + (Array.isArray(entries) ? entries.length : 0)
  left.count -= more
  if (left.count < 0) throw TOO_MANY
  left.untold += more
  if (left.untold >= PORTION) {
    left.held?.entries(left.untold)
    left.untold = 0
  }
  return entries
}

// One for all: many resolvers are under way when the budget ends, and each of them fails.
const TOO_MANY = new TooLarge(
  OBJECT_BUDGET,
  `The answer is too large: at most ${OBJECT_BUDGET} entries of lists. Ask for fewer lists, or for fewer levels of them.`,
)

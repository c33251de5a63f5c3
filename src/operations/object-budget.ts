import { type GraphQLSchema, getNamedType, getNullableType, isCompositeType, isListType, isObjectType } from "graphql"
import type { Held } from "../context.js"
import { type Problem, TooLarge } from "../errors.js"
import { ENTRIES_PER_TURN } from "./turns.js"

/** Entries of lists that one run may be given. */
const OBJECT_BUDGET = 100_000

const LEFT = Symbol("objects left")

/** Of so many entries at once what holds them is told. */
const PORTION = 1_000

/** What one run of a client's document may still be given, and was. */
export type Left = {
  count: number
  untold: number
  /** Why it is given nothing more, when it is not. */
  over: Problem | undefined
  /** Whether it is compiled, and works on long lists fast. */
  isCompiled: boolean
  readonly held: Held | undefined
}

type Counting = { [LEFT]?: Left; readonly held?: Held }

/**
 * Makes the resolvers of lists count what they give, in runs whose context says so: the cost of a document is a guess, and 30
 * aliases of `list { tasks }` are 300 objects or 3 million. Changes the schema itself: to be called once.
 */
export function countListEntries(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith("__")) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const isCounted = isListType(getNullableType(field.type)) && isCompositeType(getNamedType(field.type))
      if (!isCounted || !resolve) continue
      field.resolve = (source, args, context: Counting | undefined, info) => {
        const left = context?.[LEFT]
        if (left === undefined) return resolve(source, args, context, info)
        if (left.over !== undefined) throw left.over
        const result = resolve(source, args, context, info)
        return result instanceof Promise ? result.then((entries) => counted(left, entries)) : counted(left, result)
      }
    }
  }
}

/** What counts one run in a context. */
export const openBudget = (context: unknown): Left => ({
  count: OBJECT_BUDGET,
  untold: 0,
  over: undefined,
  isCompiled: false,
  held: (context as Counting | null | undefined)?.held,
})

/** The context of one run whose lists are counted. */
export const countingContext = (context: unknown, left: Left): unknown => ({ ...(context as object), [LEFT]: left })

/** How many entries were given. */
export const entriesOf = ({ count }: Left): number => OBJECT_BUDGET - count

/** Why a run ended before its end; undefined when it was given no more entries than it may be. */
export const tooManyEntries = ({ count }: Left): TooLarge | undefined => (count < 0 ? TOO_MANY : undefined)

function counted(left: Left, entries: unknown): unknown {
  if (left.over !== undefined) throw left.over
  const more = 1 + (Array.isArray(entries) ? entries.length : 0)
  left.count -= more
  if (left.count < 0) end(left, TOO_MANY)
  left.untold += more
  const { held } = left
  if (held === undefined || entriesOf(left) < PORTION) return entries
  if (left.untold >= PORTION) tell(left, held)
  if (Array.isArray(entries) && more > ENTRIES_PER_TURN && !left.isCompiled) return inPortions(left, held, entries)
  return onTurn(left, held.turn(more), entries)
}

function onTurn<Value>(left: Left, turn: Promise<void> | undefined, value: Value): Value | Promise<Value> {
  if (turn === undefined) return value
  return turn.then(() => {
    if (left.over !== undefined) throw left.over
    return value
  })
}

/** The entries of a long list as graphql-js takes them, which works on each when it comes, and would on all of them at once. */
function inPortions(left: Left, held: Held, entries: readonly unknown[]): unknown[] {
  let turn: Promise<void> | undefined
  return entries.map((entry, index) => {
    if (index % ENTRIES_PER_TURN === 0) turn = held.turn(Math.min(ENTRIES_PER_TURN, entries.length - index))
    return onTurn(left, turn, entry)
  })
}

function tell(left: Left, held: Held): void {
  try {
    held.entries(left.untold)
    left.untold = 0
  } catch (error) {
    end(left, error as Problem)
  }
}

/** Many resolvers are under way when a run ends: each of them fails with one error for all, and what they still ask for is not read. */
function end(left: Left, problem: Problem): never {
  left.over = problem
  if (left.held !== undefined) left.held.over ??= problem
  throw problem
}

const TOO_MANY = new TooLarge(
  OBJECT_BUDGET,
  `The answer is too large: at most ${OBJECT_BUDGET} entries of lists. Ask for fewer lists, or for fewer levels of them.`,
)

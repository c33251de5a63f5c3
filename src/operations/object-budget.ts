import { type GraphQLSchema, getNamedType, getNullableType, isCompositeType, isListType, isObjectType } from "graphql"
import { BadRequest } from "../errors.js"

/** Entries of lists that one run may be given, where what is stored may be read many times over. */
const OBJECT_BUDGET = 100_000

const LEFT = Symbol("objects left")

type Counting = { [LEFT]?: { count: number } }

/**
 * Makes the resolvers of lists count what they give, in runs whose context says so: the cost of a document is a guess, and
 * `list { tasks { list { tasks } } }` is 100 objects or 100 million. Changes the schema itself, once.
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

/** The context of one run whose lists are counted. */
export const countingContext = (context: unknown): unknown =>
  Object.assign(Object.create(context as object | null), { [LEFT]: { count: OBJECT_BUDGET } })

function counted(left: { count: number }, entries: unknown): unknown {
  left.count -= 1 + (Array.isArray(entries) ? entries.length : 0)
  if (left.count < 0) throw TOO_MANY
  return entries
}

// One for all: many resolvers are under way when the budget ends, and each of them fails.
const TOO_MANY = new BadRequest(
  `The operation reads more than ${OBJECT_BUDGET} objects. Ask for fewer levels of lists.`,
)

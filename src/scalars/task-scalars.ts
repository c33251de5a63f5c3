import { GraphQLInt, GraphQLScalarType } from "graphql"
import { literal, Refusal, SHOWN_AS, stringScalar } from "./scalars.js"

// The limits of §8 that only tasks have.

/** How many periods lie between two occurrences (§8): at least 1. */
export const RecurrenceCount = new GraphQLScalarType<number, number>({
  name: "RecurrenceCount",
  description: "The number of days, weeks, months or years between two occurrences: 1 to 2147483647.",
  extensions: { [SHOWN_AS]: GraphQLInt },
  serialize: (value) => value as number,
  parseValue: recurrenceCount,
  parseLiteral: (node) => recurrenceCount(literal(node)),
})

function recurrenceCount(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value)) throw new TypeError("must be an integer")
  if (value < 1 || value > 2_147_483_647) throw new Refusal("must be at least 1 and at most 2147483647")
  return value
}

const REMOVABLE = ["assigneeId", "dueDate", "recurrenceType", "recurrenceCount", "starred", "completed"] as const

/** What can be removed from a task. */
export type TaskAttribute = (typeof REMOVABLE)[number]

/** The name of something that can be removed from a task, as the schema has it. */
export const TaskAttribute = stringScalar({
  name: "TaskAttribute",
  description: `What can be removed from a task: ${REMOVABLE.join(", ")}. Removing starred or completed makes it false.`,
  check: (value) => {
    if (!(REMOVABLE as readonly string[]).includes(value)) throw new Refusal(`must name one of ${REMOVABLE.join(", ")}`)
    return value
  },
})

import type { Aside, Command, Values } from "./command.js"
import type { AnyObject } from "./kinds.js"

/** What becomes of a command when it meets what is there now. */
export type Decision = {
  /** What is to be sent; undefined when nothing is. */
  readonly send: Values | undefined
  readonly aside?: Aside & { readonly reason: "conflict" }
}

/** Members that mean nothing without each other. */
const PAIR = ["recurrence_type", "recurrence_count"]
/** Members that no user's change of the object itself is about. */
const FOLLOW = /^(id|type|revision|url|read|author|values|(created|updated|completed)_.*)$/

/**
 * Merges a command with what is there now, member by member, against what was there when it was given: what only one side has
 * changed is not asked about, and the same change on both sides is none.
 */
export function merged(command: Command, current: AnyObject | undefined): Decision {
  const { action, values, seen } = command
  if (action === "delete") {
    if (current === undefined) return { send: undefined }
    const isAnother = Object.keys(seen).some(
      (member) => !FOLLOW.test(member) && !isEqual(seen[member], current[member]),
    )
    return isAnother ? { send: undefined, aside: conflict(seen, {}, current) } : { send: {} }
  }
  if (current === undefined) return { send: undefined, aside: conflict(seen, values) }
  const differing = Object.keys(values).filter((member) => !isEqual(values[member], current[member]))
  const clashing = new Set(differing.filter((member) => !isEqual(seen[member], current[member])))
  if (PAIR.some((member) => clashing.has(member))) for (const member of PAIR) clashing.add(member)
  const clean = differing.filter((member) => !clashing.has(member))
  const send = clean.length === 0 ? undefined : pick(values, clean)
  if (clashing.size === 0) return { send }
  const members = [...clashing].filter((member) => member in values)
  return { send, aside: conflict(pick(seen, members), pick(values, members), current) }
}

/** What a person has to decide; without `theirs` it has been deleted. */
export const conflict = (base: Values, mine: Values, theirs?: AnyObject): Aside & { readonly reason: "conflict" } => ({
  reason: "conflict",
  base,
  mine,
  theirs,
})

/** Those members of an object; null for what is unset. */
export const pick = (object: Values, members: readonly string[]): Values =>
  Object.fromEntries(members.map((member) => [member, object[member] ?? null]))

/** Whether two values are the same to the service: unset is null, and sets of ids have no order. */
function isEqual(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return (one ?? null) === (other ?? null)
  return one.length === other.length && one.every((item) => other.includes(item))
}

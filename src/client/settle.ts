import type { Aside, Command, Entry, Flight, Patch, Step, Values } from "./command.js"
import { commandEntry, endOf, objectEntry, withIds } from "./command.js"
import { type AnyObject, byId, type Kind, keyOf, parentOf } from "./kinds.js"
import { conflict } from "./merge.js"
import { unseen } from "./plan.js"
import type { State } from "./state.js"

/** What one request was answered. */
export type StepAnswer = { readonly status: number; readonly body?: unknown }

const commandsOf = (state: State, { commands }: Step): Command[] =>
  state.queue.filter(({ id }) => commands.includes(id))

/** What a request was answered with. §4: the answer to a new reminder may be an array that holds it. */
export const objectIn = ({ body }: StepAnswer): AnyObject | undefined => [body].flat()[0] as AnyObject | undefined

/** No request is under way any more. */
export const LANDED: Entry = ["flight", undefined]

/** What a request that was carried out has changed: `answers` are its steps', in their order. */
export function carriedOut(state: State, { steps }: Flight, answers: readonly StepAnswer[]): Patch {
  const entries: Entry[] = []
  const made = new Map<number, number>()
  steps.forEach((step, index) => {
    const object = objectIn(answers[index] as StepAnswer)
    for (const { id, action, kind, target } of commandsOf(state, step)) {
      entries.push(endOf(id))
      if (action === "delete") entries.push(objectEntry(kind, made.get(target) ?? target))
      else if (object !== undefined)
        entries.push(objectEntry(action === "move" ? (`${kind}_position` as Kind) : kind, object.id, object))
      if (action !== "create" || object === undefined) continue
      made.set(target, object.id)
      entries.push([`name/${target}`, object.id])
    }
  })
  return [...entries, LANDED]
}

/** Members by which something is known again that was made. */
const SAME = ["list_id", "task_id", "title", "content", "text", "date", "key"]

/**
 * What the base tells of a request whose answer never came: where it has what the request was to make, all of it was carried
 * out, for a request is carried out whole. Undefined when it tells nothing.
 */
export function recognised(state: State, flight: Flight): Patch | undefined {
  const left = [...state.base.values()].filter((one) => one.created_by_request_id === flight.key).sort(byId)
  if (left.length === 0) return undefined
  const commands = flight.steps.flatMap((step) => commandsOf(state, step))
  const gone = new Set(commands.flatMap(({ action, kind, target }) => (action === "delete" ? keyOf(kind, target) : [])))
  /** What the request was to make, and has not deleted itself. */
  const creates = commands.filter(({ action, kind, target, values }) => {
    const parent = parentOf(values)
    if (action === "create" && parent && gone.has(keyOf(...parent))) gone.add(keyOf(kind, target))
    return action === "create" && !gone.has(keyOf(kind, target))
  })
  const names = new Map<number, number>()
  const answers = new Map<string, StepAnswer>()
  for (const [index, { id, kind, target }] of creates.entries()) {
    const all = commands.filter((one) => one.kind === kind && one.target === target).map(({ values }) => values)
    const values: Values = withIds(Object.assign({}, ...all), (one) => names.get(one) ?? one)
    const made = left.filter(({ type }) => type === kind)
    const isWhole = made.length === creates.slice(index).filter((one) => one.kind === kind).length
    // Where somebody has deleted one of them, they are told apart by what they are in and their text.
    const isIt = (one: AnyObject) => SAME.every((member) => one[member] === values[member])
    const object = isWhole ? made[0] : made.find(isIt)
    if (object === undefined) continue
    left.splice(left.indexOf(object), 1)
    names.set(target, object.id)
    answers.set(id, { status: 201, body: object })
  }
  const answerOf = ({ commands: [id = ""] }: Step) => answers.get(id) ?? { status: 200 }
  return carriedOut(state, flight, flight.steps.map(answerOf))
}

type ErrorBody = {
  error?: Record<string, unknown> & { message?: string; current?: AnyObject; revision_conflict?: boolean }
  errors?: readonly string[]
}

/** What a refusal of one step means. `again`: its commands are merged once more, with what the answer tells. */
export function refused(state: State, step: Step, { status, body }: StepAnswer): { patch: Patch; again?: boolean } {
  const commands = commandsOf(state, step)
  const [{ kind, action } = {} as Command] = commands
  const { error = {}, errors = [] } = (body ?? {}) as ErrorBody
  if (error.revision_conflict) {
    const stored = action === "move" ? (`${kind}_position` as Kind) : kind
    const { current } = error
    return { patch: current ? [objectEntry(stored, current.id, current)] : [], again: true }
  }
  if (status === 404 && (action === "delete" || action === "move"))
    return { patch: commands.map(({ id }) => endOf(id)) }
  const aside = ({ seen, values }: Command): Aside =>
    status === 404
      ? conflict(seen, values)
      : { reason: "refused", status, message: error.message ?? errors.join(" "), fields: fieldsOf(error) }
  const changed = commands.flatMap((command) => [{ ...command, aside: aside(command) }, ...unseen(state, command)])
  return { patch: changed.map(commandEntry) }
}

/** The members of an error that say what is wrong with which member of what was sent. */
function fieldsOf(error: Record<string, unknown>): Readonly<Record<string, readonly string[]>> {
  const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string")
  return Object.fromEntries(Object.entries(error).filter((entry): entry is [string, string[]] => isTexts(entry[1])))
}

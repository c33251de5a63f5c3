import type { Aside, Command, Flight, Outcome, Patch, Step } from "./command.js"
import type { AnyObject, Kind } from "./kinds.js"
import { renamed } from "./plan.js"
import type { State } from "./state.js"

/** What one request was answered. */
export type StepAnswer = { readonly status: number; readonly body: unknown }

const commandsOf = (state: State, { commands }: Step): Command[] =>
  state.queue.filter(({ id }) => commands.includes(id))

/** What a request that was carried out has changed: `answers` are its steps', in their order. */
export function carriedOut(state: State, flight: Flight, answers: readonly StepAnswer[]): Patch {
  const put: [Kind, AnyObject][] = []
  const drop: [Kind, number][] = []
  const named = new Map<number, number>()
  const ended: [string, Outcome][] = []
  flight.steps.forEach((step, index) => {
    // §4: the answer to a new reminder may be an array that holds it.
    const object = [answers[index]?.body].flat()[0] as AnyObject | undefined
    for (const { id, action, kind, target } of commandsOf(state, step)) {
      ended.push([id, "confirmed"])
      if (action === "delete") drop.push([kind, target])
      else if (object !== undefined) put.push([action === "move" ? (`${kind}_position` as Kind) : kind, object])
      if (action === "create" && object !== undefined) named.set(target, object.id)
    }
  })
  return { put, drop, ended, ...renaming(state, named, ended), flight: null }
}

/** Puts the ids that the service has given in the place of temporary ones, in the commands that are left. */
function renaming(
  state: State,
  named: ReadonlyMap<number, number>,
  ended: readonly (readonly [string, Outcome])[],
): Patch {
  if (named.size === 0) return {}
  const gone = new Set(ended.map(([id]) => id))
  const idOf = (id: number) => named.get(id) ?? id
  const commands = state.queue
    .filter(({ id }) => !gone.has(id))
    .map((command): [Command, Command] => [command, renamed(command, idOf)])
    .filter(([was, is]) => JSON.stringify(was) !== JSON.stringify(is))
    .map(([, command]) => command)
  return { named: [...named], commands }
}

/**
 * What the base tells of a request whose answer never came: where it has what the request was to make, all of it was carried
 * out, for a request is carried out whole. Undefined when it tells nothing.
 */
export function recognised(state: State, flight: Flight): Patch | undefined {
  const made = new Map<Kind, AnyObject[]>()
  const answers = flight.steps.map((step): StepAnswer | undefined => {
    const [command] = commandsOf(state, step)
    if (command?.action !== "create") return { status: 200, body: undefined }
    if (!made.has(command.kind)) made.set(command.kind, madeBy(state, command.kind, flight.key))
    return { status: 200, body: made.get(command.kind)?.shift() }
  })
  const creates = flight.steps.filter((step) => commandsOf(state, step)[0]?.action === "create")
  if (creates.length === 0 || ![...made.keys()].some((kind) => madeBy(state, kind, flight.key).length > 0))
    return undefined
  return carriedOut(state, flight, answers as StepAnswer[])
}

/** What a request has made, in the order in which it made it. */
const madeBy = (state: State, kind: Kind, request: string): AnyObject[] =>
  [...(state.base.get(kind)?.values() ?? [])]
    .filter(({ created_by_request_id }) => created_by_request_id === request)
    .sort((one, other) => one.id - other.id)

type ErrorBody = {
  error?: Record<string, unknown> & { message?: string; current?: AnyObject; revision_conflict?: boolean }
  errors?: readonly string[]
}

/** What a refusal of one step means. `again`: its commands are merged once more, with what the answer tells. */
export function refused(state: State, step: Step, { status, body }: StepAnswer): Patch & { readonly again?: boolean } {
  const commands = commandsOf(state, step)
  const [{ kind, action } = {} as Command] = commands
  const { error = {}, errors = [] } = (body ?? {}) as ErrorBody
  if (error.revision_conflict) {
    const stored = action === "move" ? (`${kind}_position` as Kind) : kind
    return { put: error.current ? [[stored, error.current]] : [], again: true }
  }
  if (status === 404 && (action === "delete" || action === "move"))
    return { ended: commands.map(({ id }) => [id, "confirmed"]) }
  const aside = (command: Command): Aside =>
    status === 404
      ? { reason: "conflict", base: command.seen, mine: command.values, theirs: undefined }
      : { reason: "refused", status, message: error.message ?? errors.join(" "), fields: fieldsOf(error) }
  return { commands: commands.map((command) => ({ ...command, aside: aside(command) })) }
}

/** The members of an error that say what is wrong with which member of what was sent. */
function fieldsOf(error: Record<string, unknown>): Readonly<Record<string, readonly string[]>> {
  const isTexts = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((one) => typeof one === "string")
  return Object.fromEntries(Object.entries(error).filter((entry): entry is [string, string[]] => isTexts(entry[1])))
}

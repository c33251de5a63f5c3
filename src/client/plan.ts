import type { Command, Entry, Patch, Step } from "./command.js"
import { commandEntry, endOf, heldFor, newUuid, withIds } from "./command.js"
import { after } from "./draft.js"
import { type AnyObject, type Kind, keyOf, parentOf } from "./kinds.js"
import { conflict, merged } from "./merge.js"
import { inOrder, moved } from "./order.js"
import type { State } from "./state.js"

/** What to do next: change the queue, send a request, or nothing. */
export type Plan = { readonly patch: Patch } | { readonly steps: readonly Step[] } | undefined

/** Most characters of the bodies of one request. */
const LONGEST = 700_000

/**
 * Looks through the queue for what can be sent at once, in order. Each command is merged with what is there now; what cannot
 * be merged, or has come about already, leaves the queue instead. What waits for the application or is held holds up only what
 * depends on it.
 * @param most steps in one request
 */
export function plan(state: State, now: number, most: number): Plan {
  const heldUp = new Set<string>()
  const steps: Step[] = []
  /** What objects will be after the steps before, and which step says their ids and revisions. */
  const ahead = new Map<string, { step: string; object: AnyObject | undefined }>()
  /** What leaves the queue, or changes in it. */
  const patch: Entry[] = []
  let length = 0
  let count = 0

  const known = (kind: Kind, id: number): { step?: string; object: AnyObject | undefined } =>
    ahead.get(keyOf(kind, id)) ?? { object: state.base.get(keyOf(kind, id)) }
  const there = (kind: Kind, id: number): AnyObject | undefined => known(kind, id).object
  /** An id as the service will know it. */
  const named = (id: number, kind: Kind): number | string | undefined => {
    const { step } = known(kind, id)
    return id > 0 ? id : step && `$${step}.id`
  }
  const revisionOf = (kind: Kind, id: number): number | string => {
    const { step, object } = known(kind, id)
    return step === undefined ? (object?.revision ?? 1) : `$${step}.revision`
  }
  const pathOf = (kind: Kind, id: number) => (kind === "user" ? "/user" : `/${kind}s/${named(id, kind)}`)

  /** @param object what the object `key` will be */
  function push(command: Command, step: Pick<Step, "method" | "path" | "body">, key: string, object?: AnyObject): void {
    const earlier = command.action === "move" ? steps.findIndex(({ id }) => id === ahead.get(key)?.step) : -1
    // Of several moves in one order only the last order is sent.
    const [taken] = earlier < 0 ? [] : steps.splice(earlier, 1)
    const id = `r${count++}`
    steps.push({ id, ...step, commands: [...(taken?.commands ?? []), command.id] })
    ahead.set(key, { step: id, object })
    length += JSON.stringify(step).length
  }

  function move(command: Command): void {
    const { id, kind, values } = command
    const within = values.in as number
    const position = `${kind}_position` as Kind
    const holder = kind === "task" ? "list" : "task"
    if (kind !== "list" && there(holder, within) === undefined) return void patch.push(endOf(id))
    const ids = state.all(kind, kind === "list" ? undefined : within).map((object) => object.id)
    const order = moved(inOrder(ids, (there(position, within)?.values ?? []) as number[]), [command])
    const revision = state.base.get(keyOf(position, within))?.revision ?? 1
    const sent = order.map((one) => named(one, kind)).filter((one) => one !== undefined)
    const path = `/${position}s/${named(within, holder)}`
    const step = { method: "PATCH", path, body: { revision, values: sent } } as const
    push(command, step, keyOf(position, within), { id: within, revision, values: order })
  }

  function change(command: Command): void {
    const { id, kind, action, target, values } = command
    const key = keyOf(kind, target)
    if (action === "create") {
      const parent = parentOf(values)
      if (parent === undefined || there(...parent) !== undefined) {
        const step = { method: "POST", path: `/${kind}s`, body: withIds(values, named) } as const
        push(command, step, key, after(undefined, command, state.author()))
      } else patch.push(commandEntry({ ...command, aside: conflict({}, values) }))
      return
    }
    const { send, aside } = merged(command, there(kind, target))
    if (aside !== undefined) {
      patch.push(commandEntry({ ...command, values: aside.mine, aside }))
      if (send !== undefined) patch.push(commandEntry({ ...command, id: newUuid(), values: send }))
    } else if (send === undefined) patch.push(endOf(id))
    else if (action === "delete")
      push(command, { method: "DELETE", path: `${pathOf(kind, target)}?revision=${revisionOf(kind, target)}` }, key)
    else {
      const body = { ...withIds(send, named), revision: revisionOf(kind, target) }
      const object = after(there(kind, target), { ...command, values: send }, state.author())
      push(command, { method: "PATCH", path: pathOf(kind, target), body }, key, object)
    }
  }

  const deleted = new Set(
    state.queue
      .filter((one) => one.action === "delete" && one.aside === undefined && heldFor(one, now) === 0)
      .map(({ kind, target }) => keyOf(kind, target)),
  )
  /** What could not be made, and is deleted later with all that is in it: nobody has anything to decide. */
  const unmade = new Set<string>()
  const isUnmade = ({ action, kind, target, values, aside }: Command): boolean => {
    const parent = action === "create" ? parentOf(values) : undefined
    const isIn = parent !== undefined && unmade.has(keyOf(...parent))
    const isRefused = action === "create" && (aside !== undefined || (parent !== undefined && !there(...parent)))
    if (isIn || (isRefused && deleted.has(keyOf(kind, target)))) unmade.add(keyOf(kind, target))
    return unmade.has(keyOf(kind, target))
  }

  for (const command of state.queue) {
    const { action, kind, target, aside } = command
    const isHeld = heldFor(command, now) > 0
    if (isUnmade(command)) {
      patch.push(endOf(command.id))
      continue
    }
    if (aside !== undefined || isHeld || dependencies(command).some((key) => heldUp.has(key))) {
      if (action === "create" || isHeld) heldUp.add(keyOf(kind, target))
      continue
    }
    if (steps.length >= most || length > LONGEST) break
    if (action === "move") move(command)
    else change(command)
  }
  if (patch.length > 0) return { patch }
  return steps.length === 0 ? undefined : { steps }
}

/** The objects without which a command means nothing. */
function dependencies({ action, kind, target, values }: Command): string[] {
  const found = action === "create" ? [] : [keyOf(kind, target)]
  if (action === "move")
    return kind === "list" ? found : [...found, keyOf(kind === "task" ? "list" : "task", values.in as number)]
  withIds(values, (id, of) => found.push(keyOf(of, id)))
  return found
}

/** The commands that mean nothing without another: they go with it when it is dropped. */
export function dependentOn(state: State, command: Command): Command[] {
  if (command.action !== "create") return [command]
  const gone = new Set([keyOf(command.kind, command.target)])
  const found = [command]
  for (const other of state.queue)
    if (other.id !== command.id && dependencies(other).some((key) => gone.has(key))) {
      found.push(other)
      if (other.action === "create") gone.add(keyOf(other.kind, other.target))
    }
  return found
}

/**
 * The commands that saw what a change would have set, as they are when it does not come about: they saw what it had seen, and
 * nobody else has changed that.
 */
export function unseen(state: State, { id, action, kind, target, values, seen }: Command): Command[] {
  let members = action === "update" ? Object.keys(values) : []
  const rest = state.queue.slice(state.queue.findIndex((one) => one.id === id) + 1)
  return rest.flatMap((later) => {
    const own = members.filter((member) => member in later.seen)
    if (later.kind !== kind || later.target !== target || own.length === 0) return []
    members = members.filter((member) => !own.includes(member))
    return [{ ...later, seen: { ...later.seen, ...Object.fromEntries(own.map((member) => [member, seen[member]])) } }]
  })
}

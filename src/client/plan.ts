import type { Command, Outcome, Patch, Step, Values } from "./command.js"
import { type AnyObject, KINDS, type Kind, keyOf, parentOf } from "./kinds.js"
import { merged } from "./merge.js"
import { inOrder, moved } from "./order.js"
import { drafted, type State } from "./state.js"

/** What to do next: change the queue, send a request, or nothing. */
export type Plan = { readonly patch: Patch } | { readonly steps: readonly Step[] } | undefined

/** Most requests of one batch, and most characters of their bodies. */
const MAX_STEPS = 100
const LONGEST = 700_000
/** Members that name a list or a task. */
const NAMES: Readonly<Record<string, Kind>> = { list_id: "list", list_ids: "list", task_id: "task" }

type Limits = {
  readonly now: number
  /** Most steps in one request. */
  readonly most: number
  /** Commands that go alone: together with others they were refused. */
  readonly alone: ReadonlySet<string>
}

/**
 * Looks through the queue for what can be sent at once, in order. Each command is merged with what is there now; what cannot
 * be merged, or has come about already, leaves the queue instead. What waits for the application or is held holds up only what
 * depends on it.
 */
export function plan(state: State, { now, most, alone }: Limits): Plan {
  const heldUp = new Set<string>()
  const steps: Step[] = []
  /** What objects will be after the steps before, and which step says their ids and revisions. */
  const ahead = new Map<string, { step: string; object: AnyObject | undefined }>()
  const ended: [string, Outcome][] = []
  const changed: Command[] = []
  let length = 0
  let count = 0

  /** An id as the service will know it. */
  function named(kind: Kind, given: number): number | string | undefined {
    const id = state.idOf(given)
    if (id > 0) return id
    const step = ahead.get(keyOf(kind, id))?.step
    return step && `$${step}.id`
  }
  const there = (kind: Kind, given: number): AnyObject | undefined => {
    const key = keyOf(kind, state.idOf(given))
    return ahead.has(key) ? ahead.get(key)?.object : state.base.get(kind)?.get(state.idOf(given))
  }
  const revisionOf = (kind: Kind, id: number): number | string => {
    const step = ahead.get(keyOf(kind, state.idOf(id)))?.step
    return step === undefined ? (there(kind, id)?.revision ?? 1) : `$${step}.revision`
  }
  const pathOf = (kind: Kind, id: number): string =>
    kind === "user" ? KINDS.user.path : `${KINDS[kind].path}/${named(kind, id)}`
  /** Values with the ids that the service will know. */
  const sent = (values: Values): Values =>
    Object.fromEntries(
      Object.entries(values).map(([member, value]) => {
        const kind = NAMES[member]
        if (kind === undefined || value == null) return [member, value]
        return [member, Array.isArray(value) ? value.map((id) => named(kind, id)) : named(kind, value as number)]
      }),
    )

  function push(
    command: Command,
    step: Omit<Step, "id" | "commands">,
    touched: Kind,
    id: number,
    after?: AnyObject,
  ): void {
    const key = keyOf(touched, state.idOf(id))
    const earlier = command.action === "move" ? steps.findIndex((one) => one.id === ahead.get(key)?.step) : -1
    // Of several moves in one order only the last order is sent.
    const [taken] = earlier < 0 ? [] : steps.splice(earlier, 1)
    const made = { id: `r${count++}`, ...step, commands: [...(taken?.commands ?? []), command.id] }
    steps.push(made)
    ahead.set(key, { step: made.id, object: after })
    length += JSON.stringify(step).length + 1
  }

  function move(command: Command): void {
    const { kind, values } = command
    const within = values.in as number
    const position = `${kind}_position` as Kind
    const holder = kind === "list" ? undefined : (KINDS[kind].parent?.[0] as Kind)
    if (holder !== undefined && there(holder, within) === undefined) return void ended.push([command.id, "confirmed"])
    const stored = there(position, within)
    const ids = kind === "list" ? state.ids(kind) : state.ids(kind, within)
    const order = moved(inOrder(ids, (stored?.values ?? []) as number[]), [command])
    const before = state.base.get(position)?.get(state.idOf(within))
    const revision = before?.revision ?? 1
    const body = { revision, values: order.map((id) => named(kind, id)).filter((id) => id !== undefined) }
    const after = { id: within, revision, values: order }
    push(
      command,
      { method: "PATCH", path: `${KINDS[position].path}/${named(holder ?? kind, within)}`, body },
      position,
      within,
      after,
    )
  }

  function change(command: Command): unknown {
    const { id, kind, action, target, values } = command
    if (action === "create") {
      const parent = parentOf(kind, values as AnyObject)
      const isOrphan = parent !== undefined && there(...parent) === undefined
      if (isOrphan)
        return void changed.push({
          ...command,
          aside: { reason: "conflict", base: {}, mine: values, theirs: undefined },
        })
      const step = { method: "POST", path: KINDS[kind].path, body: sent(values) } as const
      return push(command, step, kind, target, drafted(command, state.viewerId()))
    }
    const current = there(kind, target)
    const { send, aside } = merged(command, current)
    if (aside !== undefined) {
      changed.push({ ...command, values: aside.reason === "conflict" ? aside.mine : values, aside })
      if (send !== undefined) changed.push({ ...command, id: crypto.randomUUID(), values: send })
    } else if (send === undefined) ended.push([id, "confirmed"])
    else if (action === "delete")
      push(
        command,
        { method: "DELETE", path: `${pathOf(kind, target)}?revision=${revisionOf(kind, target)}` },
        kind,
        target,
      )
    else {
      const body = { ...sent(send), revision: revisionOf(kind, target) }
      push(command, { method: "PATCH", path: pathOf(kind, target), body }, kind, target, {
        ...(current as AnyObject),
        ...send,
      })
    }
  }

  for (const command of state.queue) {
    const { id, action, kind, target, aside, heldUntil = 0 } = command
    const isHeld = heldUntil > now
    if (aside !== undefined || isHeld || dependencies(command).some((key) => heldUp.has(key))) {
      if (action === "create" || (action === "delete" && isHeld)) heldUp.add(keyOf(kind, target))
      continue
    }
    if (steps.length > 0 && (alone.has(id) || steps.length >= Math.min(most, MAX_STEPS) || length > LONGEST)) break
    if (action === "move") move(command)
    else change(command)
    if (alone.has(id) && steps.length > 0) break
  }
  if (ended.length + changed.length > 0) return { patch: { ended, commands: changed } }
  return steps.length === 0 ? undefined : { steps }
}

/** The objects without which a command means nothing. */
function dependencies({ action, kind, target, values }: Command): string[] {
  const own = action === "create" ? [] : [keyOf(kind, target)]
  const within =
    action === "move" && kind !== "list" ? [keyOf(KINDS[kind].parent?.[0] as Kind, values.in as number)] : []
  const others = Object.entries(NAMES).flatMap(([member, of]) =>
    [values[member] ?? []].flat().map((id) => keyOf(of, id as number)),
  )
  return [...own, ...within, ...others]
}

/** A command in which ids have taken the place of temporary ones. */
export function renamed(command: Command, idOf: (id: number) => number): Command {
  const ids = ["in", "after", "before", ...Object.keys(NAMES)]
  const values = Object.fromEntries(
    Object.entries(command.values).map(([member, value]) => {
      if (!ids.includes(member) || value == null) return [member, value]
      return [member, Array.isArray(value) ? value.map(idOf) : idOf(value as number)]
    }),
  )
  const seen = Object.fromEntries(
    Object.entries(command.seen).map(([member, value]) =>
      typeof value === "number" && member in NAMES ? [member, idOf(value)] : [member, value],
    ),
  )
  return { ...command, target: idOf(command.target), values, seen }
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

import type { Client, View } from "./api.js"
import type { Command, Given, Outcome, Patch, Values } from "./command.js"
import { commandEntry, endOf, newUuid } from "./command.js"
import type { AnyObject, Kind, Movable } from "./kinds.js"
import { pick } from "./merge.js"
import { dependentOn, unseen } from "./plan.js"
import type { State } from "./state.js"

type Giving = Pick<Client, "create" | "update" | "delete" | "move" | "drop" | "retry">

/**
 * What puts commands into the queue, and takes them out again.
 * @param commit takes it over; then there may be something to send
 * @param outcomeOf resolves when a command has ended
 */
export function createGiving(
  state: State,
  view: View,
  commit: (patch: Patch) => void,
  outcomeOf: (command: string) => Promise<Outcome>,
): Giving {
  let lastTemporary = 0

  function give(command: Pick<Command, "action" | "kind" | "target" | "values"> & Partial<Command>): Given {
    const now = Date.now()
    const [id, order] = [newUuid(), Math.max(now, state.lastOrder + 1)]
    const outcome = outcomeOf(id)
    commit([commandEntry({ id, order, at: new Date(now).toISOString(), seen: {}, ...command })])
    return { id: command.target, command: id, outcome }
  }
  function shown(kind: Kind, id: number): AnyObject {
    const object = view.get(kind, id)
    if (object === undefined) throw new Error(`There is no ${kind} ${id}.`)
    return object as unknown as AnyObject
  }
  function find(id: string): Command {
    const command = state.queue.find((one) => one.id === id)
    if (command === undefined) throw new Error("The command is not in the queue any more.")
    return command
  }
  /** The order that an object stands in, and whose it is. */
  function orderOf(kind: Movable, { list_id, task_id, completed }: AnyObject): [unknown, readonly { id: number }[]] {
    if (kind === "list") return [state.viewerId(), view.lists()]
    if (kind === "task") return [list_id, view.tasks(list_id as number, completed as boolean)]
    return [task_id, view.subtasks(task_id as number)]
  }

  return {
    create(kind, values) {
      // Later ones are smaller; those of other windows are others.
      lastTemporary = Math.min(lastTemporary - 1, -Date.now() * 2_048 - Math.floor(Math.random() * 2_048))
      return give({ action: "create", kind, target: lastTemporary, values: exact(kind, values) })
    },
    update(kind, id, sent, { seen, holdMs } = {}) {
      const object = {
        ...(seen && !view.get(kind, id) ? { id: state.idOf(id) } : shown(kind, id)),
        ...seen,
      } as AnyObject
      if (kind === "user" && object.id !== state.viewerId()) throw new Error(`The user ${id} is not the viewer.`)
      const values = exact(kind, sent)
      const known = pick(object, Object.keys(values))
      return give({ action: "update", kind, target: object.id, values, seen: known, ...held(holdMs) })
    },
    delete(kind, id, { holdMs } = {}) {
      const { id: target, ...seen } = shown(kind, id)
      return give({ action: "delete", kind, target, values: {}, seen, ...held(holdMs) })
    },
    move(kind, id, behind) {
      const object = shown(kind, id)
      const [within, objects] = orderOf(kind, object)
      const others = objects.map((one) => one.id).filter((one) => one !== object.id)
      const after = behind === null ? null : state.idOf(behind)
      const before = others[after === null ? 0 : others.indexOf(after) + 1] ?? null
      return give({ action: "move", kind, target: object.id, values: { in: within, after, before } })
    },
    drop(id) {
      const command = find(id)
      if (state.flight?.steps.some(({ commands }) => commands.includes(id)))
        throw new Error("The command is under way.")
      const changed = command.aside === undefined ? unseen(state, command) : []
      commit([...changed.map(commandEntry), ...dependentOn(state, command).map((one) => endOf(one.id, "dropped"))])
    },
    retry(id, sent) {
      const { aside, ...command } = find(id)
      if (aside === undefined) return
      const values = { ...command.values, ...(sent && exact(command.kind, sent)) }
      const theirs = aside.reason === "conflict" ? aside.theirs : undefined
      const known = command.action === "delete" ? theirs : theirs && pick(theirs, Object.keys(values))
      commit([commandEntry({ ...command, values, seen: known ?? command.seen })])
    },
  }
}

const held = (ms: number | undefined) => (ms ? { heldUntil: Date.now() + ms } : {})

/** Values as the service will show them, so that they are known again. */
function exact(kind: Kind, values: object): Values {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const ms = kind === "reminder" ? Date.parse(given.date) : Number.NaN
  return Number.isNaN(ms) ? given : { ...given, date: new Date(ms).toISOString() }
}

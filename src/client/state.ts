import { type Command, type Entry, type Flight, withIds } from "./command.js"
import { after } from "./draft.js"
import { type AnyObject, byId, type Kind, keyOf, parentOf } from "./kinds.js"
import type { CommentAuthor } from "./wire.js"

/** What a client knows: base, queue, and what both make together. Only `apply` changes it. */
export type State = ReturnType<typeof createState>

/** Names what is in an object. */
export const childrenKey = (kind: Kind, parent: number): string => `${kind}@${parent}`
/** Names whether a temporary id has been replaced. */
export const nameKey = (temporary: number): string => `name/${temporary}`
/** Names the moves within an order. */
export const movesKey = (kind: Kind, within: number): string => `moves/${kind}/${within}`

/** @param touched is told the names of all that a change may have changed: objects, kinds, `queue`, and the names above */
export function createState(url: string, touched: (keys: ReadonlySet<string>) => void) {
  const base = new Map<string, AnyObject>()
  /** What is in what, in the base. */
  const inside = new Map<string, Set<string>>()
  /** Objects as the commands leave them, by their ids: those of a kind, and those in an object. */
  const groups = new Map<string, Map<number, AnyObject>>()
  const names = new Map<number, number>()
  const commands = new Map<string, Command>()
  /** The ids of those that are shown, by what they change. */
  const byTarget = new Map<string, Set<string>>()
  let queue: readonly Command[] | undefined
  let viewer: number | undefined

  const idOf = (id: number): number => names.get(id) ?? id
  function group(name: string): Map<number, AnyObject> {
    const found = groups.get(name) ?? new Map<number, AnyObject>()
    groups.set(name, found)
    return found
  }
  /** All of a kind as the commands leave them; with `parent` what is in that object. */
  function all(kind: Kind, parent?: number): AnyObject[] {
    return [...group(parent === undefined ? kind : childrenKey(kind, parent)).values()].sort(byId)
  }
  /** The viewer, as the author of what is made. */
  function author(): CommentAuthor {
    const id = viewer ?? 0
    const name = base.get(keyOf("user", id))?.name as string
    return { id, name, avatar: `${url}/api/v1/avatar?user_id=${id}` }
  }
  const targetOf = ({ action, kind, target, values }: Command): string =>
    action === "move" ? movesKey(kind, values.in as number) : keyOf(kind, target)

  const changesOf = (key: string): Command[] =>
    [...(byTarget.get(key) ?? [])].map((id) => commands.get(id) as Command).sort(byOrder)
  function overlaid(key: string): AnyObject | undefined {
    let object = base.get(key)
    for (const command of changesOf(key)) object = after(object, command, author())
    return object
  }
  /** Works one object out again. */
  function refresh(key: string, keys: Set<string>): void {
    const [kind, text] = key.split("/") as [Kind, string]
    const id = Number(text)
    const [was, is] = [group(kind).get(id), overlaid(key)]
    const groupsOf = (object?: AnyObject) => [kind, ...holderOf(object, (_, parent) => childrenKey(kind, parent))]
    keys.add(key)
    for (const name of groupsOf(was)) keys.add(name) && group(name).delete(id)
    for (const name of groupsOf(is)) keys.add(name) && is && group(name).set(id, is)
  }

  /** Takes a change over. Gives it as it is to be kept: without what is known better, with all that it takes along. */
  function apply(entries: readonly Entry[]): Entry[] {
    const kept: Entry[] = []
    const dirty = new Set<string>()
    const keys = new Set<string>()
    const left = new Set<unknown>()
    let isNamed = false

    function put(key: string, object: AnyObject | undefined): void {
      const was = base.get(key)
      // What is older than what is known has been overtaken by an answer.
      if (was === object || (object && object.revision < (was?.revision ?? 0))) return
      if (object === undefined)
        for (const inner of inside.get(key) ?? []) {
          if (inner.startsWith("membership/")) left.add(base.get(inner)?.user_id)
          put(inner, undefined)
        }
      // Everybody has one inbox, which nobody else sees.
      if (object?.list_type === "inbox") viewer = object.owner_id as number
      regroup(inside, key, holderOf(was, keyOf), holderOf(object, keyOf))
      if (object === undefined) base.delete(key)
      else base.set(key, object)
      dirty.add(key)
      kept.push([`object/${key}`, object])
    }
    function setCommand(id: string, command: Command | undefined): void {
      const was = commands.get(id)
      const targetsOf = (one: Command | undefined) => (one && one.aside === undefined ? [targetOf(one)] : [])
      for (const key of regroup(byTarget, id, targetsOf(was), targetsOf(command))) keys.add(key)
      for (const one of [was, command]) if (one && one.action !== "move") dirty.add(keyOf(one.kind, one.target))
      keys.add("queue")
      queue = undefined
      if (command === undefined) commands.delete(id)
      else {
        commands.set(id, command)
        state.lastOrder = Math.max(state.lastOrder, command.order)
      }
    }

    for (const entry of entries) {
      const [name, value] = entry
      const [folder = "", rest = ""] = name.split(/\/(.*)/)
      if (folder === "object") {
        put(rest, value as AnyObject | undefined)
        continue
      }
      kept.push(entry)
      if (folder === "command") setCommand(rest, value ? renamed(value as Command) : undefined)
      else if (folder === "flight") state.flight = value as Flight | undefined
      else if (folder === "cursor") state.cursor = value as string | undefined
      else if (folder === "name") {
        names.set(Number(rest), value as number)
        keys.add(name)
        isNamed = true
      }
    }
    // Of a list that is gone nothing else is told: whom one knew only by it is gone too.
    if (left.size > 0) {
      for (const [key, { user_id }] of base) if (key.startsWith("membership/")) left.delete(user_id)
      left.delete(viewer)
      for (const id of left) put(keyOf("user", id as number), undefined)
    }
    if (isNamed)
      for (const [id, command] of commands) {
        const known = renamed(command)
        if (JSON.stringify(known) !== JSON.stringify(command)) setCommand(id, known)
      }
    for (const key of dirty) refresh(key, keys)
    if (keys.size > 0) touched(keys)
    return kept
  }
  /** A command with the ids of the service in the place of temporary ones. */
  const renamed = ({ target, values, seen, ...command }: Command): Command => ({
    ...{ ...command, target: idOf(target) },
    ...{ values: withIds(values, idOf), seen: withIds(seen, idOf) },
  })

  const state = {
    /** What the service has, as far as is known here, by kind and id. */
    base: base as ReadonlyMap<string, AnyObject>,
    /** All commands in their order, with the ids of the service where it has given any. */
    get queue(): readonly Command[] {
      queue ??= [...commands.values()].sort(byOrder)
      return queue
    },
    lastOrder: 0,
    flight: undefined as Flight | undefined,
    cursor: undefined as string | undefined,
    viewerId: () => viewer,
    ...{ idOf, author, apply, all },
    /** An object as the commands leave it, whether or not what it is in is there. */
    whole: (kind: Kind, id: number) => group(kind).get(id),
    moves: (kind: Kind, within: number): readonly Command[] => changesOf(movesKey(kind, within)),
  }
  return state
}

const byOrder = (one: Command, other: Command): number => one.order - other.order || (one.id < other.id ? -1 : 1)

/** The name of what an object is in, where it is in something. */
function holderOf(object: AnyObject | undefined, nameOf: (kind: Kind, id: number) => string): string[] {
  const parent = object && parentOf(object)
  return parent ? [nameOf(...parent)] : []
}

/** Takes something out of groups, and puts it into others. Gives the names of all of them. */
function regroup<Item>(groups: Map<string, Set<Item>>, item: Item, before: string[], after: string[]): string[] {
  for (const name of before) groups.get(name)?.delete(item)
  for (const name of after) groups.set(name, (groups.get(name) ?? new Set<Item>()).add(item))
  return [...before, ...after]
}

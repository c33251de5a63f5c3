import type { Command, Flight, Patch, Values } from "./command.js"
import { type AnyObject, KINDS, type Kind, keyOf, parentOf } from "./kinds.js"

/** What a client knows: base, queue, and what both make together. Only `apply` changes it. */
export type State = {
  /** What the service has, as far as is known here. */
  readonly base: ReadonlyMap<Kind, ReadonlyMap<number, AnyObject>>
  /** All commands in their order. */
  readonly queue: readonly Command[]
  readonly flight: Flight | undefined
  readonly cursor: string | undefined
  /** The id that took the place of a temporary one; else the same again. */
  idOf(id: number): number
  /** An object as the commands leave it, whether or not what it is in is there. */
  whole(kind: Kind, id: number): AnyObject | undefined
  /** The ids of what is in an object; of all of the kind without it. */
  ids(kind: Kind, parent?: number): Iterable<number>
  /** The moves within an order, by the id of what holds it. */
  moves(kind: Kind, within: number): readonly Command[]
  /** Whose account it is; undefined before anything is known. */
  viewerId(): number | undefined
  /** Takes a change over. Gives it as it is to be kept: without what is known better, with all that it takes along. */
  apply(patch: Patch): Patch
}

/** Names what in the view depends on what: see `touched` of {@link createState}. */
export const childrenKey = (kind: Kind, parent: number): string => `${kind}@${parent}`

/** Names whether a temporary id has been replaced. */
export const namedKey = (temporary: number): string => `named/${temporary}`

/** @param touched is told the names of all that a change may have changed: `kind/id`, `kind@parent`, `kind`, `queue`. */
export function createState(touched: (keys: ReadonlySet<string>) => void): State {
  const base = new Map<Kind, Map<number, AnyObject>>()
  const whole = new Map<Kind, Map<number, AnyObject>>()
  const children = new Map<string, Set<number>>()
  const names = new Map<number, number>()
  let queue: Command[] = []
  let byTarget = new Map<string, Command[]>()
  let flight: Flight | undefined
  let cursor: string | undefined
  for (const kind of Object.keys(KINDS) as Kind[]) for (const map of [base, whole]) map.set(kind, new Map())

  const table = (of: Map<Kind, Map<number, AnyObject>>, kind: Kind) => of.get(kind) as Map<number, AnyObject>
  const idOf = (id: number): number => names.get(id) ?? id
  /** Everybody has one inbox, which nobody else sees. */
  const viewerId = (): number | undefined => {
    for (const list of table(base, "list").values()) if (list.list_type === "inbox") return list.owner_id as number
    return undefined
  }
  const targetOf = ({ action, kind, target, values }: Command): string =>
    action === "move" ? `moves/${kind}/${values.in}` : keyOf(kind, target)

  function indexQueue(): void {
    queue.sort((one, other) => one.order - other.order || (one.id < other.id ? -1 : 1))
    byTarget = new Map()
    for (const command of queue) {
      if (command.aside) continue
      const key = targetOf(command)
      byTarget.set(key, [...(byTarget.get(key) ?? []), command])
    }
  }

  function overlaid(kind: Kind, id: number): AnyObject | undefined {
    let object = table(base, kind).get(id)
    for (const command of byTarget.get(keyOf(kind, id)) ?? []) {
      if (command.action === "create") object = drafted(command, viewerId())
      else if (command.action === "delete") object = undefined
      else if (object !== undefined) object = changed(object, command, viewerId())
    }
    return object
  }

  /** Works one object out again. */
  function refresh(kind: Kind, id: number, keys: Set<string>): void {
    const was = table(whole, kind).get(id)
    const is = overlaid(kind, id)
    keys.add(keyOf(kind, id)).add(kind)
    for (const object of [was, is]) {
      const parent = object && parentOf(kind, object)
      if (parent === undefined) continue
      const key = childrenKey(kind, parent[1])
      keys.add(key)
      if (!children.has(key)) children.set(key, new Set())
      if (object === is) children.get(key)?.add(id)
      else children.get(key)?.delete(id)
    }
    if (is === undefined) table(whole, kind).delete(id)
    else table(whole, kind).set(id, is)
  }

  /** What is in objects that go. */
  function inside(kind: Kind, parents: ReadonlySet<number>): (readonly [Kind, number])[] {
    if (parents.size === 0) return []
    return (Object.keys(KINDS) as Kind[])
      .filter((child) => KINDS[child].parent?.[0] === kind)
      .flatMap((child) => {
        const ids = [...table(base, child).values()]
          .filter((object) => parents.has(parentOf(child, object)?.[1] as number))
          .map(({ id }) => id)
        return [...ids.map((id) => [child, id] as const), ...inside(child, new Set(ids))]
      })
  }

  function apply(patch: Patch): Patch {
    const dirty = new Map<string, readonly [Kind, number]>()
    const keys = new Set<string>()
    const spoil = (kind: Kind, id: number) => dirty.set(keyOf(kind, id), [kind, id])
    const drop = patch.reset
      ? [...base].flatMap(([kind, objects]) => [...objects.keys()].map((id) => [kind, id] as const))
      : (patch.drop ?? [])
          .filter(([kind]) => kind in KINDS)
          .flatMap(([kind, id]) => [[kind, id] as const, ...inside(kind, new Set([id]))])
    for (const [kind, id] of drop) {
      table(base, kind).delete(id)
      spoil(kind, id)
    }
    // What is older than what is known has been overtaken by an answer.
    const put = (patch.put ?? []).filter(
      ([kind, { id, revision }]) => kind in KINDS && revision >= (table(base, kind).get(id)?.revision ?? 0),
    )
    for (const [kind, object] of put) {
      table(base, kind).set(object.id, object)
      spoil(kind, object.id)
    }
    for (const [temporary, id] of patch.named ?? []) {
      names.set(temporary, id)
      keys.add(namedKey(temporary))
    }
    const { commands = [], ended = [] } = patch
    if (commands.length + ended.length > 0) {
      const gone = new Set([...commands.map(({ id }) => id), ...ended.map(([id]) => id)])
      const concerned = [...queue.filter(({ id }) => gone.has(id)), ...commands]
      queue = [...queue.filter(({ id }) => !gone.has(id)), ...commands]
      indexQueue()
      for (const command of concerned) {
        keys.add("queue").add(targetOf(command))
        if (command.action !== "move") spoil(command.kind, command.target)
      }
    }
    if (patch.flight !== undefined) flight = patch.flight ?? undefined
    if (patch.cursor !== undefined) cursor = patch.cursor ?? undefined
    for (const [kind, id] of dirty.values()) refresh(kind, id, keys)
    if (keys.size > 0) touched(keys)
    return { ...patch, drop, put }
  }

  return {
    base,
    get queue() {
      return queue
    },
    get flight() {
      return flight
    },
    get cursor() {
      return cursor
    },
    idOf,
    whole: (kind, id) => table(whole, kind).get(idOf(id)),
    ids: (kind, parent) =>
      parent === undefined ? table(whole, kind).keys() : (children.get(childrenKey(kind, idOf(parent))) ?? []),
    moves: (kind, within) => byTarget.get(`moves/${kind}/${idOf(within)}`) ?? [],
    viewerId,
    apply,
  }
}

/** What a new object looks like until the service has made it. */
export function drafted({ kind, target, at, values }: Command, viewerId: number | undefined): AnyObject {
  const made: Values = { created_at: at, updated_at: at, created_by_id: viewerId, user_id: viewerId }
  return { ...made, ...DEFAULTS[kind], ...set(values), id: target, revision: 0, type: kind }
}

const DEFAULTS: Partial<Record<Kind, Values>> = {
  list: { list_type: "list", public: false, owner_type: "user" },
  membership: { state: "pending", owner: false, muted: false },
  task: { starred: false, completed: false },
  subtask: { completed: false },
  task_comment: { read: true },
}

function changed(object: AnyObject, { kind, values, at }: Command, viewerId: number | undefined): AnyObject {
  const { completed } = values
  const follows =
    completed === undefined || completed === object.completed
      ? {}
      : {
          completed_at: completed ? at : null,
          ...(kind === "task" && { completed_by_id: completed ? viewerId : null }),
        }
  return set({ ...object, ...values, ...follows }) as AnyObject
}

/** Without what is unset. */
const set = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

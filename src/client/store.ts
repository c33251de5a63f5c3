import type { Command, Flight, Patch } from "./command.js"
import { type AnyObject, type Kind, keyOf } from "./kinds.js"

/** Something kept under a name; undefined: nothing any more. */
export type Entry = readonly [name: string, value: unknown]

/** Where a client keeps base and queue: values that can be cloned, by their names. One store is for one user. */
export type Store = {
  /** What windows share that have the same store; undefined where nobody else has it. */
  readonly sharedAs?: string
  load(): Promise<readonly Entry[]>
  /** Keeps all of it, or nothing: resolves when it is kept. What comes later counts. */
  save(entries: readonly Entry[]): Promise<void>
  /** Forgets everything, as after a sign-out. */
  clear(): Promise<void>
}

/** Keeps everything as long as the process lives. */
export function memoryStore(): Store {
  const kept = new Map<string, unknown>()
  return {
    load: async () => [...kept],
    async save(entries) {
      for (const [name, value] of entries)
        if (value === undefined) kept.delete(name)
        else kept.set(name, value)
    },
    clear: async () => kept.clear(),
  }
}

/** What a store keeps of a change. */
export const entriesOf = ({ put = [], drop = [], commands = [], ended = [], named = [], ...place }: Patch): Entry[] => [
  ...drop.map(([kind, id]): Entry => [`object/${keyOf(kind, id)}`, undefined]),
  ...put.map(([kind, object]): Entry => [`object/${keyOf(kind, object.id)}`, object]),
  ...ended.map(([id]): Entry => [`command/${id}`, undefined]),
  ...commands.map((command): Entry => [`command/${command.id}`, command]),
  ...named.map(([temporary, id]): Entry => [`name/${temporary}`, id]),
  ...(["flight", "cursor"] as const)
    .filter((name) => place[name] !== undefined)
    .map((name): Entry => [name, place[name] ?? undefined]),
]

/** All that a store keeps, as a change of what is empty. */
export function patchOf(entries: readonly Entry[]): Patch {
  const below = (folder: string) => entries.filter(([name]) => name.startsWith(folder))
  const [flight, cursor] = ["flight", "cursor"].map((place) => entries.find(([name]) => name === place)?.[1] ?? null)
  return {
    reset: true,
    put: below("object/").map(([name, object]) => [name.split("/")[1] as Kind, object as AnyObject]),
    commands: below("command/").map(([, command]) => command as Command),
    named: below("name/").map(([name, id]) => [Number(name.slice("name/".length)), id as number]),
    flight: flight as Flight | null,
    cursor: cursor as string | null,
  }
}

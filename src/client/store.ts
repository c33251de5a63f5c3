import type { Entry, Patch } from "./command.js"

/** Where a client keeps base and queue: values that can be cloned, by their names. One store is for one user. */
export type Store = {
  /** What windows share that have the same store; undefined where nobody else has it. */
  readonly sharedAs?: string
  load(): Promise<readonly Entry[]>
  /** Keeps all of it, or nothing: resolves when it is kept. What comes later counts. */
  save(entries: readonly Entry[]): Promise<void>
  /** Forgets everything, as after a sign-out. */
  clear(): Promise<void>
  /**
   * Lets one window at a time synchronise, where the browser knows no locks: gives whether `owner` may do so for that long, since
   * nobody else may at present. A store that is shared needs it there.
   */
  claim?(owner: string, forMs: number): Promise<boolean>
  /** Notes at once what `save` may not take any more, since the window closes. Gives whether it is noted. */
  leave?(patch: Patch): boolean
  /** Gives what was noted so by any window, once. */
  left?(): Patch
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

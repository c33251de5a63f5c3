import type { Given, Values } from "./command.js"
import type { Answer, GiveHeaders } from "./http.js"
import type { Changes, Deletable, Movable, News } from "./kinds.js"
import type { Carrier } from "./status.js"
import type { Store } from "./store.js"
import type { View } from "./view.js"

export type Options = {
  /** Where the service is, without a slash at the end; "" in a page that the service has sent. */
  readonly url: string
  /**
   * Headers that name the user: `X-Client-ID` and `X-Access-Token`, `Authorization: Bearer …`, or what guards a session cookie
   * against other sites. Asked before each request, so that tokens can be renewed: with `true` when the last ones were refused.
   */
  readonly headers: GiveHeaders
  /** The payload of the WebSocket's `connection_init`. Left out: the headers. */
  readonly connectionParams?: GiveHeaders
  /** Whether cookies go along. Left out: to the page's own origin. */
  readonly credentials?: "omit" | "same-origin" | "include"
  /** Where base and queue are kept. Left out: in memory. */
  readonly store?: Store
  /** How changes are told as they happen, the best first. Left out: all ways. */
  readonly carriers?: readonly Carrier[]
  /** The class that opens WebSockets. Left out: the platform's; a Node that has none uses server-sent events. */
  readonly webSocket?: unknown
  /** Left out: the platform's. */
  readonly fetch?: typeof fetch
}

/** Works with one account, whether or not the service can be reached. */
export type Client = {
  /** What is there to be shown, as it is now. */
  readonly view: View
  /** Reads the store, then synchronises until `stop`. Resolves when the view shows what the store has. Goes on after a sign-in. */
  start(): Promise<void>
  /** Ends it. What is in the queue stays in the store. */
  stop(): Promise<void>
  /** Makes something. It shows at once, with a temporary id. */
  create<K extends keyof News>(kind: K, values: News[K]): Given
  /** Sets members of something to values; null unsets one. @throws where there is no such thing */
  update<K extends keyof Changes>(kind: K, id: number, values: Changes[K]): Given
  /** Deletes something, after `holdMs`: until then `drop` takes it back as if nothing had happened. @throws as `update` */
  delete(kind: Deletable, id: number, options?: { readonly holdMs?: number }): Given
  /** Puts a list, task or subtask directly behind another one of its order; null: first. @throws as `update` */
  move(kind: Movable, id: number, after: number | null): Given
  /** Takes a command back that waits, or gives up one that was set aside, with all that means nothing without it. @throws when it is under way */
  drop(command: string): void
  /** Tries one again that was set aside: over what is there now, with other values where some are given. */
  retry(command: string, values?: Values): void
  /** Calls back whenever `select` gives something else. It may read all of the view and is asked only when what it read has changed. */
  subscribe<Value>(select: (view: View) => Value, callback: (value: Value) => void): () => void
  /** Tries at once what would wait: somebody says that the network is back. Browsers tell it by themselves. */
  tryNow(): void
  /** Resolves when all that was done so far is in the store. @throws what the store throws */
  kept(): Promise<void>
  /** Asks the service for what is no matter of the queue, such as an upload: a path below `/api/v1`. @throws when there is no answer */
  request(method: string, path: string, body?: unknown): Promise<Answer>
}

import type { Command, Given, Values } from "./command.js"
import type { Filter } from "./find.js"
import type { Deletable, Kind, Movable } from "./kinds.js"
import type { Store } from "./store.js"
import type { Changes, News, Objects } from "./wire.js"

/** Headers that name the user. `isRefused`: those that were given last have not been taken, and there may be newer ones. */
export type GiveHeaders = (
  isRefused: boolean,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

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
  /**
   * Sets members of something to values; null unsets one. `seen`: what somebody saw who wanted that, where it is not what the view
   * shows now; what is gone then waits for a decision. `holdMs` as of `delete`. @throws where there is no such thing
   */
  update<K extends keyof Changes>(
    kind: K,
    id: number,
    values: Changes[K],
    options?: { readonly seen?: Changes[K]; readonly holdMs?: number },
  ): Given
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

/**
 * What an application shows: what the service has, with the commands that wait already carried out. Objects and arrays stay
 * the same ones as long as nothing in them changes, and none may be altered.
 */
export type View = {
  /** One object; undefined where there is none. A temporary id is good for ever. */
  get<K extends Kind>(kind: K, id: number): Objects[K] | undefined
  /** All of a kind, by id ascending; with `parent` those that are in that object: the notes of a task, the members of a list. */
  all<K extends Kind>(kind: K, parent?: number): readonly Objects[K][]
  /** Lists in the user's order, those that they are invited to among them. */
  lists(): readonly Objects["list"][]
  /** The tasks of a list in its order: open ones, completed ones with `true`. */
  tasks(list: number, completed?: boolean): readonly Objects["task"][]
  /** The subtasks of a task in its order, open and completed ones. */
  subtasks(task: number): readonly Objects["subtask"][]
  /** Tasks of all lists, as `GET /api/v1/tasks/find` finds them: smart lists and search, without asking the service. */
  find(filter: Filter): readonly Objects["task"][]
  /** Whose account it is; undefined before the first synchronisation. */
  viewer(): Objects["user"] | undefined
  /** How it stands with the service. */
  status(): Status
  /** Commands that are still to be carried out, in their order. */
  waiting(): readonly Command[]
  /** Commands that wait for the application: conflicts and refusals, to be shown. See `retry` and `drop`. */
  aside(): readonly Command[]
  /** Whether something of the object has not reached the service. */
  isWaiting(kind: Kind, id: number): boolean
}

/** How it stands with the service. */
export type Status = {
  /**
   * `starting` until the store is read, `online` while requests are answered, `offline` while they are not (the client goes on
   * trying), `signed-out` since the service did not take the credentials (`start` goes on), `stopped`.
   */
  readonly connection: "starting" | "online" | "offline" | "signed-out" | "stopped"
  /** What tells of changes as they happen; undefined while nothing does. */
  readonly live: Carrier | undefined
  /** Whether everything that the account has is here. Once it is, it stays so, offline too. */
  readonly isComplete: boolean
  /** When the next attempt is made, while offline; milliseconds as of `Date.now()`. */
  readonly retryAt: number | undefined
}

/** How a client is told of changes as they happen, the best first. */
export type Carrier = "websocket" | "sse" | "poll"

/** An answer that the service has given; one of its refusals too. */
export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }

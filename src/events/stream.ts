import type { Viewer } from "../context.js"
import type { Log } from "../log.js"
import type { Id, Runner } from "../statement.js"
import type { Cursors } from "./cursor.js"
import type { AccountEvent } from "./event.type.js"
import type { PubSub } from "./pub-sub.js"
import type { Turns } from "./turns.js"

/** Takes the events of one subscription and sends them on, in the order of the calls. */
export type Receiver = {
  /** From here on nothing is missed: what is committed after this call will be sent. Not every stream says so. */
  begun?(): void
  send(event: AccountEvent): void
  /** Resolves when what was sent is on its way, so that a long replay does not pile up; undefined when there is room now. */
  ready(): Promise<void> | undefined
  /** Nothing more will come: ends the subscription after what was sent. */
  complete(): void
  /** Access has ended: ends the subscription at once, without what is not on its way yet. */
  cut(): void
  /** Ends the subscription with an error. */
  fail(error: unknown): void
}

/** A membership by which a stream delivers a list's events. */
export type Access = { readonly listId: Id; readonly state: "accepted" | "pending" }

/** The events of one subscription, on their way to its receiver. */
export type Stream = {
  readonly viewer: Viewer
  /** The memberships that it relies on, the same objects as long as they last. */
  access(): Iterable<Access>
  /** Tells it that one of them has ended without an event. */
  lose(access: Access): void
  fail(error: unknown): void
  /** The receiver wants nothing more. */
  stop(): void
}

/** What streams are made of. */
export type StreamParts = {
  readonly db: Runner
  readonly pubSub: PubSub<AccountEvent>
  readonly log: Log
  /** Of the pages of all replays of the node. */
  readonly turns: Turns
  readonly cursors: Cursors
  /** A cursor that we wrote has shown that an event is gone that was committed. */
  distrust(): void
}

/** How many events may arrive during a replay before they are read from the table as well. */
export const BUFFERED_EVENTS = 1_000
/** The same in characters: a few events can be as long. */
export const BUFFERED_LENGTH = 1_048_576
/** How long a replay waits for a database that is gone before it asks again. */
export const REPLAY_RETRY_MS = 500

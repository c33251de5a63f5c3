import type { AnyObject, Kind } from "./kinds.js"

/** Why a command waits for the application, which may drop it or try it again. Until then it is kept and not shown. */
export type Aside =
  | {
      /** Somebody else changed the same meanwhile, or deleted it. */
      readonly reason: "conflict"
      /** What was there when the command was given. */
      readonly base: Values
      /** What it was to become. Of a deletion: nothing. */
      readonly mine: Values
      /** What is there now; undefined where it was deleted. */
      readonly theirs: AnyObject | undefined
    }
  | {
      /** The service does not take it. */
      readonly reason: "refused"
      readonly status: number
      readonly message: string
      /** What is wrong with which member. */
      readonly fields: Readonly<Record<string, readonly string[]>>
    }

export type Values = Readonly<Record<string, unknown>>

/** One thing that somebody wants done. It says what is to be, never what is to be turned over, so that it can be repeated. */
export type Command = {
  /** A UUID: its `Idempotency-Key`, and the request id by which it is recognised. */
  readonly id: string
  /** Commands go in the order of this number. */
  readonly order: number
  /** When it was given. */
  readonly at: string
  readonly action: "create" | "update" | "delete" | "move"
  readonly kind: Kind
  /** The object; below 0 while the service has given it no id. */
  readonly target: number
  /** What is to be. Of a move: `in`, the id of what holds the order, and `after` and `before`, the neighbours. */
  readonly values: Values
  /** What of it was there when the command was given; of a deletion the whole object. */
  readonly seen: Values
  /** It is not sent before that instant (milliseconds), so that it can still be taken back. */
  readonly heldUntil?: number
  readonly aside?: Aside
}

/** How a command ended, or that it waits for the application. */
export type Outcome = "confirmed" | "dropped" | Aside["reason"]

/** What was given to the queue. */
export type Given = {
  /** The id of the object; of a new one a temporary id below 0, good until the service has given one, and for `get` ever after. */
  readonly id: number
  /** The command, for `drop` and `retry`. */
  readonly command: string
  /** How it ended. Never rejects. */
  readonly outcome: Promise<Outcome>
}

/** A request under way: what is sent again as it is when no answer came. */
export type Flight = { readonly key: string; readonly steps: readonly Step[] }

/** One request of it, and the commands that it carries out. */
export type Step = {
  readonly id: string
  readonly method: "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly body?: Values
  readonly commands: readonly string[]
}

/** A change of what a client keeps. All of it holds, or nothing. */
export type Patch = {
  /** Everything of the base goes first. */
  readonly reset?: boolean
  readonly put?: readonly (readonly [kind: Kind, object: AnyObject])[]
  /** With all that is in them. */
  readonly drop?: readonly (readonly [kind: Kind, id: number])[]
  /** New or changed ones. */
  readonly commands?: readonly Command[]
  readonly ended?: readonly (readonly [command: string, outcome: Outcome])[]
  /** Which id took the place of which temporary one. */
  readonly named?: readonly (readonly [temporary: number, id: number])[]
  /** Null: there is none any more. */
  readonly flight?: Flight | null
  /** Null: the base has to be read anew. */
  readonly cursor?: string | null
}

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
  /** The id of the object; of a new one a temporary id below 0, which is understood ever after. */
  readonly id: number
  /** The command, for `drop` and `retry`. */
  readonly command: string
  /** How it ended, or that it was set aside: then this tells no more. Never rejects. */
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

/**
 * Something kept under a name; undefined: nothing any more. The names are `object/task/17`, `command/<UUID>`, `flight`, `cursor`,
 * and `name/-5`, the id that took the place of a temporary one. A command that ends without having been carried out is `dropped`.
 */
export type Entry = readonly [name: string, value: unknown, dropped?: "dropped"]

/** A change of what a client keeps, in order: all of it holds, or nothing. */
export type Patch = readonly Entry[]

/** Keeps a command, new or changed. */
export const commandEntry = (command: Command): Entry => [`command/${command.id}`, command]
/** Keeps a command no more: it has been carried out, or is not to be. */
export const endOf = (id: string, dropped?: "dropped"): Entry => [`command/${id}`, undefined, dropped]
/** Keeps an object of the base; undefined: it is gone, with all that is in it. */
export const objectEntry = (kind: Kind, id: number, object?: AnyObject): Entry => [`object/${kind}/${id}`, object]

/** For how many milliseconds more a command is held. A clock that was set back since it was given holds none. */
export const heldFor = ({ heldUntil = 0, at }: Command, now: number): number =>
  now < Date.parse(at) - CLOCK_JITTER_MS ? 0 : Math.max(0, heldUntil - now)
/** Clocks that are set by a network go back by some milliseconds all the time. */
const CLOCK_JITTER_MS = 1_000

/** Members that name other objects, and which; of a move it is known by the order. */
const NAMING: Readonly<Record<string, Kind | "">> = {
  ...{ list_id: "list", list_ids: "list", task_id: "task" },
  ...{ in: "", after: "", before: "" },
}

/** Values in which other ids stand for those that name objects. */
export const withIds = (values: Values, idOf: (id: number, kind: Kind) => unknown): Values =>
  Object.fromEntries(
    Object.entries(values).map(([member, value]) => {
      const kind = NAMING[member] as Kind
      if (kind === undefined || value == null) return [member, value]
      return [member, Array.isArray(value) ? value.map((id) => idOf(id, kind)) : idOf(value as number, kind)]
    }),
  )

/** A random UUID. `crypto.randomUUID` is missing where a page comes over plain http from another host than localhost. */
export function newUuid(): string {
  const [...bytes] = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const text = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return text.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5")
}

import type { Problem } from "./errors.js"
import type { PrismaClient } from "./generated/prisma/client.js"
import type { Scope } from "./scalars/scope.js"
import type { SignedAddress } from "./signing/signed-address.js"
import type { Id, Meter, Runner, Share } from "./statement.js"
import type { Storage } from "./storage/storage.js"

/** Which of two answers a client was written for: the specification's, or that of the retired service where they differ. */
export type Dialect = "spec" | "wunderlist"

/** The user on whose behalf a request is made, and the application that makes it (§5). */
export type Viewer = {
  readonly userId: Id
  readonly tokenId: Id
  readonly applicationId: Id
  readonly clientId: string
  readonly dialect: Dialect
  /** What the token is good for. */
  readonly scopes: ReadonlySet<Scope>
}

/** Who writes, as events tell it. */
export type Actor = {
  readonly userId: Id
  readonly requestId: string
  /** The application, as webhooks remember it; null where none of them leaves it out. */
  readonly writer: string | null
}

/** Runs a query of Prisma: when its turn comes, or again. */
export type RunQuery = <Result>(query: () => Promise<Result>) => Promise<Result>

/** A transaction as what runs in it sees it. */
export type Transacted = Runner & {
  /** For what is not hot. It answers the same rows at three to four times the cost. In a request its writes name who makes them. */
  readonly prisma: PrismaClient
  /** The same for the writes of somebody, whom it names to the triggers. `around` is given each query, to run it. */
  prismaAs(actor: Actor, around?: RunQuery): PrismaClient
}

/** A transaction as what runs it sees it. */
export type Inside = Transacted & {
  /** What tells others of the rows that were written goes here: it is called once they are committed, and never when they are not. */
  afterCommit(tell: () => void): void
}

/** Where Prisma reads and writes rows: the database, or a transaction. */
export type Rows = Pick<Transacted, "prisma">

/** The applications whose own writes some webhook leaves out. */
export type SkippedWriters = {
  has(writer: string): boolean
  /** From now on this one is. */
  add(writer: string | null): void
  /** Reads again which they are. */
  refresh(): Promise<void>
}

/** The database as resources see it. */
export type Database = Transacted & {
  /** The same database through one of its connections: statements go down it in the order in which they are run. */
  pinned(share?: Share): Runner
  /** The same database through connections of their own, for statements that look through much: nothing else waits for them. */
  readonly searching: Runner
}

/** A place among all events: one of them, and the snapshots between which it became visible in a line of history. */
export type EventPlace = {
  readonly history: string
  readonly before: string
  readonly after: string
  readonly id: Id
  readonly occurredAt: string
  /** Set while what is behind the place is being read in pages. */
  readonly reading?: Reading
}

/** How far a reading in pages has come. */
export type Reading = {
  /** What is being walked through: everything of the account, or what has been opened to the user. Events, when it is unset. */
  readonly walk?: "all" | "opened"
  /** Where the reading ends: what is seen later is for the next one. */
  readonly upTo?: { readonly snapshot: string; readonly id: Id; readonly occurredAt: string }
  /** The last thing that was read: its kind, and its place among those. */
  readonly at: readonly number[]
}

/** What an answer holds in memory, from the first row that is read for it until its last byte has left. */
export type Held = Meter & {
  /** Why nothing more is to be read for the answer, when it has come to its end before. */
  over: Problem | undefined
  /** Whether it is so large that it counts. */
  isLarge(): boolean
  /** Lets others come between the pieces of a large answer; undefined when the next may be worked on at once. */
  turn(entries?: number): Promise<void> | undefined
  /** So many more entries of lists are in the result. @throws RateLimited, Unavailable */
  entries(count: number): void
  /** Nothing but its text is held from now on, of so many bytes. @throws TooLarge, RateLimited, Unavailable */
  answered(bytes: number): void
  /** Nothing is held any more; whatever is still read for it ends. */
  release(): void
}

/** What a resolver or command has: one per request, or one for a group of subscribers who get the same answer. */
export type Context = {
  readonly db: Database
  readonly viewer: Viewer
  /** Names the request in the log and in the events it makes: the client's X-Client-Request-Id where it sent one. */
  readonly requestId: string
  /** The client's own name for the request; what it makes shows it as `created_by_request_id`. */
  readonly clientRequestId: string | undefined
  /** Where clients reach the service, without a slash at the end. */
  readonly publicUrl: string
  /** Where the bytes of files lie. Nothing asks it inside a transaction. */
  readonly storage: Storage
  /** A path of the service as an address that opens without headers for a while. */
  sign(path: string): SignedAddress
  /** Whether webhooks may be sent to a host, as a URL names it: no address inside, unless the operator allows it. */
  mayConnect(host: string): boolean
  /** With which browsers subscribe to pushes of this service, in base64url. */
  readonly vapidPublicKey: string
  /** The dialect of applications that are made without naming one. */
  readonly defaultDialect: Dialect
  /** Writes places among all events as users may keep them, and reads them again. */
  readonly cursors: {
    write(userId: Id, place: EventPlace): string
    /** Undefined for what was not written for this user; "former" for what an earlier version wrote. */
    read(userId: Id, text: string): EventPlace | "former" | undefined
  }
  /** A cursor that we wrote has shown that an event is gone that was committed. */
  distrust(): void
  /**
   * Makes this node forget tokens that have just ended or lost a scope, once that is committed; every other node hears of it within
   * a second.
   */
  tokensEnded(ids: readonly Id[]): void
  readonly skippedWriters: SkippedWriters
  /** The current instant. */
  now(): Date
  /** What the answer holds in memory. */
  readonly held: Held
  /** Loaders of this request, by what they load. */
  readonly loaders: Map<object, unknown>
}

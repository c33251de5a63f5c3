import type { Viewer } from "../context.js"
import { ResyncRequired } from "../errors.js"
import type { Log } from "../log.js"
import type { Id, Runner } from "../statement.js"
import { startAccessWatch } from "./access-watch.js"
import { placeNow } from "./account-replay.js"
import { openAccountStream } from "./account-stream.js"
import type { Cursor, Cursors } from "./cursor.js"
import { AccountEvent } from "./event.type.js"
import { openFileStream } from "./file-stream.js"
import { openListStream } from "./list-stream.js"
import { createPubSub, type PubSub } from "./pub-sub.js"
import { openReminderStream } from "./reminder-stream.js"
import { PAGES_AT_ONCE } from "./replay.js"
import type { Receiver, Stream, StreamParts } from "./stream.js"
import { startTail } from "./tail.js"
import { createTurns } from "./turns.js"
import { createWaits, type Waits } from "./waits.js"
import { startPostgresWakeUp } from "./wake-up.js"

/** Opens the stream of one subscription field; `args` are the field's, coerced. */
export type OpenStream = (viewer: Viewer, args: Record<string, unknown>, receiver: Receiver) => Stream

/** Everything of one node that happens by itself when something was committed, wherever in the cluster. */
export type Live = {
  /** To be called when something was committed here: subscribers hear of it at once instead of within a second. */
  wakeUp(): void
  /** Whether ends of tokens, like all events, are heard of within 2 s at present. */
  isCurrent(): boolean
  /** Somebody has shown that an event is gone that was committed. */
  distrust(): void
  /** Names the database and the line of its history: another one when it was restored. */
  history(): string
  readonly pubSub: PubSub<AccountEvent>
  /** By the name of the subscription's field. */
  readonly streams: Readonly<Record<string, OpenStream>>
  /** A user's cursor of this moment: everything that is committed later is behind it. */
  cursorNow(userId: Id): Promise<string>
  /** Requests that wait until there is something to tell their viewers. */
  readonly waits: Waits
  /** Calls `onEnd` when the viewer's token ends or loses a scope; gives the function that takes this back. */
  watchToken(viewer: Viewer, onEnd: () => void): () => void
  /** For metrics: how many subscriptions are open, to how many topics they listen, and how late the last events were. */
  status(): { readonly streams: number; readonly waits: number; readonly listeners: number; readonly lagMs: number }
  stop(): Promise<void>
}

export type LiveParts = {
  db: Runner
  url: string
  /** Tells the folder of an embedded database from a copy. */
  folder: string | undefined
  cursors: Cursors
  /** Carries wake-up notifications between nodes in place of the database. */
  redisUrl: string | undefined
  log: Log
  /** Called for each token that ends, before sockets that use it are closed. */
  onTokenEnd(tokenId: Id): void
  /** Only tests set it. */
  accessWatchMs?: number | undefined
}

/** Starts the tail, the wake-up notification and what watches access. @throws when the database cannot be read */
export async function startLive(parts: LiveParts): Promise<Live> {
  const { db, url, folder, cursors, redisUrl, log, onTokenEnd, accessWatchMs } = parts
  const pubSub = createPubSub<AccountEvent>((error) => log.error({ err: error }, "a listener failed"))
  const turns = createTurns(PAGES_AT_ONCE)
  const open = new Set<Stream>()
  /** What is to be called for a token, with the scopes that it had. */
  const tokens = new Map<Id, Map<() => void, string>>()

  const tail = await startTail({
    url,
    folder,
    log,
    read: (fields, offset, interval) => new AccountEvent(fields, offset, interval),
    publish: pubSub.publish,
    onOtherHistory: () => {
      for (const stream of [...open])
        stream.fail(new ResyncRequired("The service was restored. Read everything again."))
    },
  })
  const wakeUp =
    redisUrl === undefined
      ? startPostgresWakeUp(url, log, tail.wake)
      : (await import("./redis-wake-up.js")).startRedisWakeUp(redisUrl, log, tail.wake)

  function endToken(tokenId: Id): void {
    onTokenEnd(tokenId)
    for (const end of [...(tokens.get(tokenId)?.keys() ?? [])]) end()
  }
  pubSub.listen("access_token", ({ subjectId }) => endToken(subjectId))
  function* watched(): Iterable<readonly [Id, string]> {
    for (const [id, ends] of tokens) for (const scopes of new Set(ends.values())) yield [id, scopes]
  }
  const watch = startAccessWatch(db, log, { streams: () => open, tokens: watched, endToken }, accessWatchMs)

  function watchToken({ tokenId, scopes }: Viewer, onEnd: () => void): () => void {
    const ends = tokens.get(tokenId) ?? new Map()
    tokens.set(tokenId, ends.set(onEnd, [...scopes].join(" ")))
    return () => {
      if (ends.delete(onEnd) && ends.size === 0 && tokens.get(tokenId) === ends) tokens.delete(tokenId)
    }
  }

  const waits = createWaits({ db, pubSub, watchToken })

  /** Streams by `opener`, counted while they are open. */
  const counted =
    <Args>(opener: (parts: StreamParts, viewer: Viewer, args: Args, receiver: Receiver) => Stream): OpenStream =>
    (viewer, args, receiver) => {
      const leaving =
        <Values extends unknown[]>(how: (...values: Values) => void) =>
        (...values: Values) => {
          open.delete(stream)
          how(...values)
        }
      const stream: Stream = opener(
        { db, pubSub, log, turns, cursors, distrust: tail.distrust },
        viewer,
        args as Args,
        {
          ...receiver,
          complete: leaving(receiver.complete),
          cut: leaving(receiver.cut),
          fail: leaving(receiver.fail),
        },
      )
      open.add(stream)
      return { ...stream, stop: leaving(stream.stop) }
    }

  return {
    wakeUp() {
      tail.committed()
      wakeUp.send()
    },
    isCurrent: tail.isCurrent,
    distrust: tail.distrust,
    history: tail.history,
    pubSub,
    streams: {
      listUpdated: counted(openListStream),
      accountUpdated: counted(openAccountStream),
      fileCreated: counted(openFileStream),
      reminderDue: counted(openReminderStream),
    },
    async cursorNow(userId) {
      const [place] = (await db.run(placeNow, [])) as [Cursor]
      return cursors.write(userId, place)
    },
    waits,
    watchToken,
    status: () => ({ streams: open.size, waits: waits.size(), listeners: pubSub.size(), lagMs: tail.lagMs() }),
    async stop() {
      await Promise.all([watch.stop(), wakeUp.stop(), tail.stop()])
    },
  }
}

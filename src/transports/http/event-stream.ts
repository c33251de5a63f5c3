import type { IncomingMessage, ServerResponse } from "node:http"
import type { Viewer } from "../../context.js"
import { BadRequest, RateLimited, Unauthorized, Unavailable } from "../../errors.js"
import { CLOSE_TIMEOUT_MS, MAX_STREAMS, SIGN_OF_LIFE_MS } from "../../events/carrier-limits.js"
import type { Live } from "../../events/live.js"
import type { Outlet } from "../../events/send-buffered.js"
import { lacking, type Needed } from "../../operations/needs.js"
import type { Id } from "../../statement.js"

/** The headers of every answer that is a stream of events: nobody may keep it, or wait until there is more of it. */
export const STREAM_HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache",
  // nginx, and those who do as it does, would wait until a buffer is full.
  "X-Accel-Buffering": "no",
}

/** A line that clients leave out. */
const COMMENT = ":\n\n"

/** One event as it is sent. `data` has no line breaks, as JSON has none. */
export const eventText = (data: string, { event, id }: { event?: string; id?: string | undefined } = {}): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`

/**
 * Behind which cursor a stream begins: that of the last event that a client that comes back has seen, or the one in its `after`;
 * undefined when it begins anew. @throws BadRequest where these are two places
 */
export function beginningOf<After>({ headers }: IncomingMessage, after: After): After | string {
  const cursor = headers["last-event-id"]
  if (typeof cursor !== "string" || cursor === "") return after
  if (after != null && after !== cursor)
    throw new BadRequest("Last-Event-ID and `after` are two places. Send one of them, or the same in both.", {
      after: ["must be the same as Last-Event-ID, or left out"],
    })
  return cursor
}

/** One answer that does not end. */
export type EventStream = Outlet & {
  isOpen(): boolean
  /** Ends it after what was sent. The client comes back where it was, unless the last event has told it that all is said. */
  end(): void
  /** Cuts it off without what waits. */
  cut(): void
}

/** All streams of server-sent events of a node. */
export type EventStreams = {
  /**
   * Begins to answer what `needs` scopes: from here on the answer is a stream. `onEnd` is called once, however it ends: the client
   * has left, its token has ended or lost a scope, the node stops.
   * @throws Unauthorized, InsufficientScope, RateLimited (the user has {@link MAX_STREAMS}), Unavailable (the node stops), before anything was sent
   */
  begin(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { readonly needs: Needed; onEnd(): void },
  ): Promise<{ readonly viewer: Viewer; readonly stream: EventStream }>
  /** For metrics: how many are open. */
  status(): { readonly eventStreams: number }
  /** Ends all of them: their clients go on at another node. */
  stop(): void
}

type Parts = {
  authenticate(request: IncomingMessage): Viewer | undefined | Promise<Viewer | undefined>
  live: Pick<Live, "watchToken">
  /** Only tests set it. */
  signOfLifeMs?: number
}

/** Makes the place that begins, keeps alive and ends the streams of a node. */
export function createEventStreams({ authenticate, live, signOfLifeMs = SIGN_OF_LIFE_MS }: Parts): EventStreams {
  const open = new Set<EventStream>()
  const ofUsers = new Map<Id, number>()
  let isStopping = false

  const heartbeat = setInterval(() => {
    for (const stream of open) stream.send(COMMENT)
  }, signOfLifeMs)
  heartbeat.unref()

  function count(userId: Id, change: 1 | -1): void {
    const left = (ofUsers.get(userId) ?? 0) + change
    if (left > 0) ofUsers.set(userId, left)
    else ofUsers.delete(userId)
  }

  function streamOf(response: ServerResponse): EventStream {
    const isOpen = () => !response.destroyed && !response.writableEnded
    return {
      get bufferedAmount() {
        return response.writableLength
      },
      send(text, onLeft) {
        if (isOpen()) response.write(text, onLeft)
        else onLeft?.()
      },
      isOpen,
      end() {
        if (!isOpen()) return
        response.end()
        setTimeout(() => response.destroy(), CLOSE_TIMEOUT_MS).unref()
      },
      cut: () => void response.destroy(),
    }
  }

  return {
    async begin(request, response, { needs, onEnd }) {
      // Its token may have ended or been narrowed while the request was read; from here to the watch nothing is waited for.
      const known = authenticate(request)
      const viewer = known instanceof Promise ? await known : known
      if (viewer === undefined) throw new Unauthorized()
      const refusal = lacking(needs, viewer)
      if (refusal) throw refusal
      if (isStopping) throw new Unavailable()
      const { userId } = viewer
      if ((ofUsers.get(userId) ?? 0) >= MAX_STREAMS)
        throw new RateLimited(1, `A user has at most ${MAX_STREAMS} streams of events at once. End one of yours first.`)
      const stream = streamOf(response)
      count(userId, 1)
      open.add(stream)
      const forgetToken = live.watchToken(viewer, () => {
        over()
        stream.end()
      })
      let isOver = false
      function over(): void {
        if (isOver) return
        isOver = true
        forgetToken()
        count(userId, -1)
        open.delete(stream)
        onEnd()
      }
      response.once("close", over).once("finish", over)
      // The end of the connection is the end of the stream: no chunks, and no promise to keep it.
      response.useChunkedEncodingByDefault = false
      response.writeHead(200, { ...STREAM_HEADERS, Connection: "close" })
      stream.send(COMMENT)
      return { viewer, stream }
    },
    status: () => ({ eventStreams: open.size }),
    stop() {
      isStopping = true
      clearInterval(heartbeat)
      for (const stream of [...open]) stream.end()
    },
  }
}

import { setTimeout as sleep } from "node:timers/promises"
import type { Request, Response } from "express"
import type { ChangePage } from "../../changes/change.type.js"
import type { Viewer } from "../../context.js"
import { BadRequest } from "../../errors.js"
import { REPLAY_AHEAD_BYTES, STUCK_MS } from "../../events/carrier-limits.js"
import { type EventStream, eventText, lastEventId, STREAM_HEADERS } from "../http/event-stream.js"
import { errorBody } from "./error-body.js"
import { queryOf } from "./parameters.js"
import type { RestParts } from "./rest-parts.js"
import type { Row } from "./row.js"

/** What happens within it is told together, and a stream reads at most so often. */
const PACE_MS = 200
/** How long a stream waits for news before it looks for itself. */
const WAIT_MS = 55_000

type Shown = { readonly type: string; readonly id: number; readonly list_id?: number; readonly operation: string }

/** The rows that a stream reads with. */
export type EventRows = { readonly changes: Row; readonly list: Row }

/**
 * Makes what answers `GET /events`: the changes behind a cursor as server-sent events, each as `GET /changes` shows it, as they
 * come. The last of those that were read together has the cursor as its id. With `list_id` those of one list, which end with it. (ours)
 */
export function eventsAnswerer(parts: RestParts, { changes, list }: EventRows) {
  return async (request: Request, response: Response, viewer: Viewer): Promise<void> => {
    const { dialect } = viewer
    const requestId = parts.requestIdOf(response)
    const query = queryOf(request)
    const after = placeOf(request, query.get("after"))
    const listId = query.get("list_id")

    async function ask<Value>(row: Row, id: string | undefined, sent: ReadonlyMap<string, string>): Promise<Value> {
      const context = parts.contextOfStream(viewer, requestId)
      try {
        const variables = row.variablesOf(dialect, { id, query: sent, body: undefined })
        return (await row.valueOf(context, variables, { name: undefined, transaction: parts.transaction })) as Value
      } finally {
        context.held.release()
      }
    }
    const read = (cursor: string) => ask<ChangePage>(changes, undefined, new Map([["after", cursor]]))
    const isOfList = ({ type, id, list_id }: Shown) => String(type === "list" ? id : list_id) === listId
    const isEndOfList = (change: Shown) => change.type === "list" && change.operation === "delete" && isOfList(change)

    // Before the stream begins, so that what is refused is refused as everywhere.
    if (listId !== undefined) await ask(list, listId, new Map())
    let page = await read(after)
    if (request.method === "HEAD") return void response.writeHead(200, STREAM_HEADERS).end()
    const leaving = new AbortController()
    const { stream } = await parts.streams.begin(request, response, () => leaving.abort())

    /** Sends a page; false when nothing can follow it. */
    async function tell({ cursor }: ChangePage): Promise<boolean> {
      const all = (JSON.parse(changes.textOf(dialect, page)) as { changes: Shown[] }).changes
      const shown = listId === undefined ? all : all.filter(isOfList)
      const last = shown.length - 1
      // An id without data is kept by clients and told to nobody.
      const text =
        shown.length === 0
          ? `id: ${cursor}\n\n`
          : shown.map((one, at) => eventText(JSON.stringify(one), { id: at === last ? cursor : undefined })).join("")
      return (await hasLeft(stream, text)) && !shown.some(isEndOfList)
    }

    async function follow(): Promise<void> {
      while (await tell(page)) {
        const { cursor, hasMore } = page
        if (!hasMore) {
          // Heard from before it is read, so that nothing falls between.
          const wait = await parts.waits.open(viewer, WAIT_MS)
          leaving.signal.addEventListener("abort", wait.close, { once: true })
          try {
            await sleep(PACE_MS, undefined, { signal: leaving.signal })
            page = await read(cursor)
            while (page.changes.length === 0 && stream.isOpen()) {
              if (!(await wait.woken())) break
              page = await read(cursor)
            }
          } finally {
            wait.close()
            leaving.signal.removeEventListener("abort", wait.close)
          }
        } else page = await read(cursor)
      }
    }
    follow()
      .catch((error: unknown) => {
        // A stream that has been left has nobody to be told.
        if (leaving.signal.aborted || !stream.isOpen()) return
        stream.send(eventText(errorBody(changes.problemOf(error, requestId)), { event: "error" }))
      })
      .finally(() => stream.end())
  }
}

/** Where a stream begins. @throws BadRequest where two places are said */
function placeOf(request: Request, after: string | undefined): string {
  const cursor = lastEventId(request)
  if (cursor === undefined) return after ?? "now"
  if (after !== undefined && after !== cursor)
    throw new BadRequest("Last-Event-ID and `after` are two places. Send one of them, or the same in both.", {
      after: ["must be the same as Last-Event-ID, or left out"],
    })
  return cursor
}

/** Sends a text; waits until it has left when much is on its way. False for a client that takes nothing for ten seconds. */
async function hasLeft(stream: EventStream, text: string): Promise<boolean> {
  if (stream.bufferedAmount + text.length < REPLAY_AHEAD_BYTES) {
    stream.send(text)
    return stream.isOpen()
  }
  const isTaken = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), STUCK_MS)
    stream.send(text, () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
  if (!isTaken) stream.cut()
  return isTaken && stream.isOpen()
}

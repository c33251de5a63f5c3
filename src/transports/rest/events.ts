import { setTimeout as sleep } from "node:timers/promises"
import type { Request, Response } from "express"
import type { ChangePage } from "../../changes/change.type.js"
import type { Held, Viewer } from "../../context.js"
import { NEWS_PACE_MS, REPLAY_AHEAD_BYTES, STUCK_MS } from "../../events/carrier-limits.js"
import { beginningOf, type EventStream, eventText, STREAM_HEADERS } from "../http/event-stream.js"
import { errorBody } from "./error-body.js"
import { queryOf, withoutZeros } from "./parameters.js"
import type { RestParts } from "./rest-parts.js"
import type { Row } from "./row.js"

/** How long a stream waits for news before it looks for itself. */
const WAIT_MS = 55_000

/** What was read for a stream, until `held` is released. */
type Read<Value> = { readonly value: Value; readonly held: Held }

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
    changes.admit(viewer)
    const query = queryOf(request)
    const after = beginningOf(request, query.get("after")) ?? "now"
    const sentId = query.get("list_id")
    const listId = sentId && withoutZeros(sentId)

    async function ask<Value>(
      row: Row,
      id: string | undefined,
      sent: ReadonlyMap<string, string>,
    ): Promise<Read<Value>> {
      const context = parts.contextOfStream(viewer, requestId)
      const { held } = context
      try {
        const variables = row.variablesOf(dialect, { id, query: sent, body: undefined })
        const value = await row.valueOf(context, variables, { name: undefined, transaction: parts.transaction })
        return { value: value as Value, held }
      } catch (error) {
        held.release()
        throw error
      }
    }
    const read = (cursor: string) => ask<ChangePage>(changes, undefined, new Map([["after", cursor]]))
    const isOfList = ({ type, id, list_id }: Shown) => String(type === "list" ? id : list_id) === listId
    const isEndOfList = (change: Shown) => change.type === "list" && change.operation === "delete" && isOfList(change)

    // Before the stream begins, so that what is refused is refused as everywhere.
    if (listId !== undefined) (await ask(list, listId, new Map())).held.release()
    let page = await read(after)
    const leaving = new AbortController()
    let stream: EventStream
    try {
      if (request.method === "HEAD") {
        page.held.release()
        return void response.writeHead(200, STREAM_HEADERS).end()
      }
      const { needs } = changes.operationOf(dialect)
      stream = (await parts.streams.begin(request, response, { needs, onEnd: () => leaving.abort() })).stream
    } catch (error) {
      page.held.release()
      throw error
    }

    /** Sends a page, which is in memory until it has left; false when nothing can follow it. */
    async function tell({ value, held }: Read<ChangePage>): Promise<boolean> {
      try {
        const all = (JSON.parse(changes.textOf(dialect, value)) as { changes: Shown[] }).changes
        const shown = listId === undefined ? all : all.filter(isOfList)
        const last = shown.length - 1
        const texts = shown.map((one, at) =>
          eventText(JSON.stringify(one), { id: at === last ? value.cursor : undefined }),
        )
        // An id without data is kept by clients and told to nobody.
        if (texts.length === 0) texts.push(`id: ${value.cursor}\n\n`)
        held.answered(texts.reduce((sum, { length }) => sum + length, 0))
        return (await haveLeft(stream, texts)) && !shown.some(isEndOfList)
      } finally {
        held.release()
      }
    }

    /** The next page that has something in it, or an empty one after a while. Heard from before it is read, so that nothing falls between. */
    async function awaited(cursor: string): Promise<Read<ChangePage>> {
      const wait = await parts.waits.open(viewer, WAIT_MS)
      leaving.signal.addEventListener("abort", wait.close, { once: true })
      try {
        for (;;) {
          await sleep(NEWS_PACE_MS, undefined, { signal: leaving.signal })
          const next = await read(cursor)
          if (next.value.changes.length > 0 || !stream.isOpen()) return next
          next.held.release()
          if (!(await wait.woken())) return next
        }
      } finally {
        wait.close()
        leaving.signal.removeEventListener("abort", wait.close)
      }
    }

    async function follow(): Promise<void> {
      while (await tell(page)) {
        const { cursor, hasMore } = page.value
        page = await (hasMore ? read(cursor) : awaited(cursor))
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

/** Sends texts no faster than they are taken; false when the stream has ended, as for a client that takes nothing for ten seconds. */
async function haveLeft(stream: EventStream, texts: readonly string[]): Promise<boolean> {
  for (const text of texts) {
    if (stream.bufferedAmount + text.length < REPLAY_AHEAD_BYTES) stream.send(text)
    else if (!(await hasLeft(stream, text))) {
      stream.cut()
      return false
    }
  }
  return stream.isOpen()
}

const hasLeft = (stream: EventStream, text: string): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), STUCK_MS)
    stream.send(text, () => {
      clearTimeout(timer)
      resolve(true)
    })
  })

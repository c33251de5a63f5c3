import type { Patch } from "./command.js"
import type { Ask } from "./http.js"
import type { AnyObject, Kind } from "./kinds.js"
import type { State } from "./state.js"

/** One object as `GET /api/v1/changes` tells of it. */
type Change = {
  readonly type: Kind
  readonly id: number
  readonly operation: "upsert" | "delete"
  readonly data?: AnyObject
}
type Page = {
  readonly changes: readonly Change[]
  readonly cursor: string
  readonly has_more: boolean
  readonly full: boolean
}

const PAGE = 1_000
/** What the service answers when no changes follow on a cursor any more: it is too old, or of another history, or not its own. */
const START_AGAIN: readonly number[] = [400, 410]

/**
 * Reads what has changed since the cursor, page by page; without a cursor, or where nothing follows on it any more, the whole
 * account. The queue is left alone.
 * @param commit takes each step over
 */
export async function pull(state: State, ask: Ask, commit: (patch: Patch) => void): Promise<void> {
  for (;;) {
    const after = state.cursor
    const page = await read(ask, after)
    if (page === undefined) commit({ cursor: null })
    else if (page.full) return readAll(state, ask, page, commit)
    else {
      commit({ ...changesOf(page), cursor: page.cursor })
      if (!page.has_more) return
    }
  }
}

/** Nothing counts as gone before the last page. What shows nothing yet shows what has come so far. */
async function readAll(state: State, ask: Ask, first: Page, commit: (patch: Patch) => void): Promise<void> {
  const isEmpty = [...state.base.values()].every((objects) => objects.size === 0)
  const pages: Page[] = []
  for (
    let page: Page | undefined = first;
    page !== undefined;
    page = page.has_more ? await read(ask, page.cursor) : undefined
  ) {
    pages.push(page)
    if (isEmpty) commit(changesOf(page))
  }
  const last = pages.at(-1) as Page
  if (last.has_more) return pull(state, ask, commit)
  const put = pages.flatMap((page) => changesOf(page).put ?? [])
  commit(isEmpty ? { cursor: last.cursor } : { reset: true, put, cursor: last.cursor })
}

/** Undefined where nothing follows on the cursor. */
async function read(ask: Ask, after: string | undefined): Promise<Page | undefined> {
  const query = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
  const { status, body } = await ask("GET", `/changes?limit=${PAGE}${query}`)
  if (status === 200) return body as Page
  if (after !== undefined && START_AGAIN.includes(status)) return undefined
  throw new Error(`GET /api/v1/changes was answered with ${status}: ${JSON.stringify(body)}`)
}

const changesOf = ({ changes }: Page): Patch => ({
  drop: changes.filter(({ operation }) => operation === "delete").map(({ type, id }) => [type, id]),
  put: changes.flatMap(({ type, data }) => (data === undefined ? [] : [[type, data] as const])),
})

import { objectEntry, type Patch } from "./command.js"
import type { Ask } from "./http.js"
import type { AnyObject, Kind } from "./kinds.js"
import type { State } from "./state.js"
import type { Entry } from "./store.js"

/** A page of `GET /api/v1/changes`. */
type Page = {
  readonly changes: readonly { readonly type: Kind; readonly id: number; readonly data?: AnyObject }[]
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
    const page = await read(ask, state.cursor)
    if (page === undefined) commit({ entries: [["cursor", undefined]] })
    else if (page.full) return readAll(state, ask, page, commit)
    else {
      commit({ entries: [...entriesOf(page), ["cursor", page.cursor]] })
      if (!page.has_more) return
    }
  }
}

/** Nothing counts as gone before the last page. What shows nothing yet shows what has come so far. */
async function readAll(state: State, ask: Ask, first: Page, commit: (patch: Patch) => void): Promise<void> {
  const isEmpty = state.base.size === 0
  const entries: Entry[] = []
  for (let page = first; ; ) {
    const shown = entriesOf(page)
    if (isEmpty) commit({ entries: shown })
    else entries.push(...shown)
    if (!page.has_more) {
      const gone = isEmpty ? [] : [...state.base.keys()].map((key): Entry => [`object/${key}`, undefined])
      return commit({ entries: [...gone, ...entries, ["cursor", page.cursor]] })
    }
    const next = await read(ask, page.cursor)
    if (next === undefined) return pull(state, ask, commit)
    page = next
  }
}

/** Undefined where nothing follows on the cursor. */
async function read(ask: Ask, after: string | undefined): Promise<Page | undefined> {
  const query = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
  const { status, body } = await ask("GET", `/changes?limit=${PAGE}${query}`)
  if (status === 200) return body as Page
  if (after !== undefined && START_AGAIN.includes(status)) return undefined
  throw new Error(`GET /api/v1/changes was answered with ${status}: ${JSON.stringify(body)}`)
}

const entriesOf = ({ changes }: Page): Entry[] => changes.map(({ type, id, data }) => objectEntry(type, id, data))

import { type Entry, objectEntry, type Patch } from "./command.js"
import type { Ask } from "./http.js"
import type { AnyObject, Kind } from "./kinds.js"
import type { State } from "./state.js"

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
 * account. Of that nothing counts as gone before the last page; what shows nothing yet shows what has come so far. The queue is
 * left alone.
 * @param commit takes each step over
 */
export async function pull(state: State, ask: Ask, commit: (patch: Patch) => void): Promise<void> {
  let after = state.cursor
  /** Of the whole account: what has come so far, and what was there before. */
  let whole: { readonly entries: Entry[]; readonly before: readonly string[] } | undefined
  for (;;) {
    const query = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
    const { status, body } = await ask("GET", `/changes?limit=${PAGE}${query}`)
    if (after !== undefined && START_AGAIN.includes(status)) {
      commit({ entries: [["cursor", undefined]] })
      after = whole = undefined
      continue
    }
    if (status !== 200) throw new Error(`GET /api/v1/changes was answered with ${status}: ${JSON.stringify(body)}`)
    const { changes, cursor, has_more, full } = body as Page
    const entries = changes.map(({ type, id, data }) => objectEntry(type, id, data))
    if (full) whole ??= { entries: [], before: [...state.base.keys()] }
    whole?.entries.push(...entries)
    if (whole === undefined) commit({ entries: [...entries, ["cursor", cursor]] })
    else if (!has_more) {
      const gone = whole.before.map((key): Entry => [`object/${key}`, undefined])
      commit({ entries: [...gone, ...whole.entries, ["cursor", cursor]] })
    } else if (whole.before.length === 0) commit({ entries })
    if (!has_more) return
    after = cursor
  }
}

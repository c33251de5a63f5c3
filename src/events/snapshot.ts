/** What PostgreSQL calls a snapshot: which transactions were over when it was taken, so that their events could be seen. */
export type Snapshot = {
  /** All transactions before this one were over. */
  readonly xmin: number
  /** None from this one on had begun. */
  readonly xmax: number
  /** Whether it sees what this transaction wrote, if that was committed. */
  sees(xid: number): boolean
}

const FORM = /^(\d{1,15}):(\d{1,15}):((?:\d{1,15}(?:,\d{1,15})*)?)$/

/** Reads the text of a pg_snapshot, `xmin:xmax:xid,…`. Undefined for anything that PostgreSQL would not read. */
export function readSnapshot(text: string): Snapshot | undefined {
  const [, first, last, list] = FORM.exec(text) ?? []
  if (list === undefined) return undefined
  const xmin = Number(first)
  const xmax = Number(last)
  const running = list === "" ? [] : list.split(",").map(Number)
  const isAscending = running.every((xid, index) => xid >= (running[index - 1] ?? xmin) && xid < xmax)
  if (xmin === 0 || xmin > xmax || !isAscending) return undefined
  const open = new Set(running)
  return { xmin, xmax, sees: (xid) => xid < xmin || (xid < xmax && !open.has(xid)) }
}

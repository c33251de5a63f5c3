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

/**
 * The same snapshot, as far as events are concerned, when `lastXid` is the last transaction that it sees an event of. A
 * server that takes over gives the numbers of transactions that left nothing behind a second time.
 */
export function tightened(snapshot: string, lastXid: number): string {
  const [first, last, list] = snapshot.split(":") as [string, string, string]
  const xmax = Math.min(Number(last), lastXid + 1)
  const running = list === "" ? [] : list.split(",").filter((xid) => Number(xid) < xmax)
  return `${Math.min(Number(first), xmax)}:${xmax}:${running.join(",")}`
}

/** The last transaction of which `snapshot` sees an event or has seen one, in SQL. */
export const lastXidIn = (snapshot: string): string =>
  `greatest((select xid from events where xid < pg_snapshot_xmax(${snapshot}) order by xid desc limit 1),
     (select deleted_xid from histories order by id desc limit 1))`

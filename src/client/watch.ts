type Reading = { value: unknown; readonly reads: ReadonlySet<string>; at: number }

/** Searches leave one for each text that was looked for. */
const MAX_MEMOS = 10_000

export type Watch = ReturnType<typeof createWatch>

/** Knows what was read, and calls those who read what has changed. */
export function createWatch() {
  /** When what a name stands for has changed last: the clock counts changes. */
  const changedAt = new Map<string, number>()
  const memos = new Map<string, Reading>()
  const looks = new Set<() => void>()
  let clock = 0
  let current: Set<string> | undefined
  let isToLook = false

  /** Notes that what is computed now depends on a name. */
  const read = (key: string): void => void current?.add(key)
  function reading(compute: () => unknown): Reading {
    const [outer, reads, at] = [current, new Set<string>(), clock]
    current = reads
    try {
      return { value: compute(), reads, at }
    } finally {
      current = outer
    }
  }
  function isFresh(one: Reading): boolean {
    if (one.at < clock) for (const key of one.reads) if ((changedAt.get(key) ?? 0) > one.at) return false
    one.at = clock
    return true
  }
  /** Reads again where something that was read has changed. The value stays the same one while its items do. */
  function renewed(last: Reading | undefined, compute: () => unknown): Reading {
    if (last !== undefined && isFresh(last)) return last
    const next = reading(compute)
    if (last !== undefined && isSame(last.value, next.value)) next.value = last.value
    return next
  }
  /** Each by itself: what one throws keeps no other from being called. */
  function look(): void {
    isToLook = false
    for (const one of looks) queueMicrotask(one)
  }

  return {
    read,
    /** Computes once, and again only after something that it read has changed. Gives the same array while its items are the same. */
    memo<Value>(name: string, compute: () => Value): Value {
      const memo = renewed(memos.get(name), compute)
      if (memos.size >= MAX_MEMOS) memos.clear()
      memos.set(name, memo)
      for (const key of memo.reads) read(key)
      return memo.value as Value
    },
    /** Calls back with what `select` gives whenever that has become another value. Gives what ends it. */
    subscribe<Value>(select: () => Value, callback: (value: Value) => void): () => void {
      let last = reading(select)
      const one = () => {
        if (!looks.has(one)) return
        const { value } = last
        last = renewed(last, select)
        if (!Object.is(value, last.value)) callback(last.value as Value)
      }
      looks.add(one)
      return () => void looks.delete(one)
    },
    /** What names stand for has changed. Who reads it is called once, after all that happens now. */
    touched(keys: Iterable<string>): void {
      clock++
      for (const key of keys) changedAt.set(key, clock)
      if (!isToLook) queueMicrotask(look)
      isToLook = true
    },
  }
}

/** Whether two values, or the items of two arrays, are the same ones. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other)
  return one.length === other.length && one.every((item, index) => Object.is(item, other[index]))
}

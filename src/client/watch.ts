/** Knows what was read, and calls those who read what has changed. */
export type Watch = {
  /** Notes that what is computed now depends on a name. */
  read(key: string): void
  /** Computes once, and again only after something that it read has changed. Gives the same array while its items are the same. */
  memo<Value>(name: string, compute: () => Value): Value
  /** Calls back with what `select` gives whenever that has become another value. Gives what ends it. */
  subscribe<Value>(select: () => Value, callback: (value: Value) => void): () => void
  /** What names stand for has changed. Who reads it is called once, after all that happens now. */
  touched(keys: ReadonlySet<string>): void
}

type Reader = { readonly reads: Set<string>; changed(): void }

/** Searches leave one for each text that was looked for. */
const MAX_MEMOS = 10_000

/** Makes a watch of its own. */
export function createWatch(): Watch {
  const readers = new Map<string, Set<Reader>>()
  const memos = new Map<string, Reader & { value: unknown; isFresh: boolean }>()
  const waiting = new Set<() => void>()
  let current: Reader | undefined

  function read(key: string): void {
    if (current === undefined || current.reads.has(key)) return
    current.reads.add(key)
    if (!readers.has(key)) readers.set(key, new Set())
    readers.get(key)?.add(current)
  }
  function forget(reader: Reader): void {
    for (const key of reader.reads) {
      const others = readers.get(key)
      others?.delete(reader)
      if (others?.size === 0) readers.delete(key)
    }
    reader.reads.clear()
  }
  function readingAs<Value>(reader: Reader, compute: () => Value): Value {
    const outer = current
    forget(reader)
    current = reader
    try {
      return compute()
    } finally {
      current = outer
    }
  }
  function forgetMemos(): void {
    for (const memo of memos.values()) forget(memo)
    memos.clear()
  }
  function flush(): void {
    const calls = [...waiting]
    waiting.clear()
    for (const call of calls) call()
  }

  return {
    read,
    memo<Value>(name: string, compute: () => Value): Value {
      let memo = memos.get(name)
      if (memo === undefined) {
        if (memos.size === MAX_MEMOS) forgetMemos()
        const made = {
          reads: new Set<string>(),
          value: undefined,
          isFresh: false,
          changed() {
            made.isFresh = false
          },
        }
        memo = made
        memos.set(name, memo)
      }
      if (!memo.isFresh) {
        const value = readingAs(memo, compute)
        if (!isSame(memo.value, value)) memo.value = value
        memo.isFresh = true
      }
      for (const key of memo.reads) read(key)
      return memo.value as Value
    },
    subscribe<Value>(select: () => Value, callback: (value: Value) => void): () => void {
      let isOver = false
      const look = () => {
        if (isOver) return
        const next = readingAs(reader, select)
        if (isSame(value, next)) return
        value = next
        callback(value)
      }
      const reader: Reader = {
        reads: new Set(),
        changed() {
          if (waiting.size === 0) queueMicrotask(flush)
          waiting.add(look)
        },
      }
      let value = readingAs(reader, select)
      return () => {
        isOver = true
        forget(reader)
      }
    },
    touched(keys) {
      const concerned = new Set([...keys].flatMap((key) => [...(readers.get(key) ?? [])]))
      for (const reader of concerned) reader.changed()
    },
  }
}

/** Whether two values, or the items of two arrays, are the same ones. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other)
  return one.length === other.length && one.every((item, index) => Object.is(item, other[index]))
}

import { useLayoutEffect, useState } from "preact/hooks"

/** A value that several parts of the page share, and are told of. */
export type Cell<Value> = {
  get(): Value
  set(value: Value): void
  subscribe(callback: () => void): () => void
}

/** Setting the value that it has (`Object.is`) wakes nobody. */
export function cell<Value>(first: Value): Cell<Value> {
  let current = first
  const callbacks = new Set<() => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const callback of [...callbacks]) callback()
    },
    subscribe(callback) {
      callbacks.add(callback)
      return () => void callbacks.delete(callback)
    },
  }
}

/** The value of one, for a component that is drawn again whenever it is another. */
export function useCell<Value>(of: Cell<Value>): Value {
  const [, draw] = useState({})
  useLayoutEffect(() => of.subscribe(() => draw({})), [of])
  return of.get()
}

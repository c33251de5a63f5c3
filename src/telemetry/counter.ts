import type { Reading } from "./reading.js"

/** How often something has happened since the process began, by one label of few values. */
export type Counter = {
  add(value: string, count?: number): void
  read(): Reading
}

/** Makes a counter; `values` are shown from the start, so that a rate over the first one of them is right. */
export function createCounter(name: string, help: string, label: string, values: readonly string[]): Counter {
  const counts = new Map(values.map((value) => [value, 0]))
  return {
    add(value, count = 1) {
      counts.set(value, (counts.get(value) ?? 0) + count)
    },
    read: () => ({
      name,
      help,
      type: "counter",
      aggregator: "sum",
      values: [...counts].map(([value, count]) => ({ labels: { [label]: value }, value: count })),
    }),
  }
}

import type { Inside } from "../context.js"
import type { Runner, Statement, Together, Value } from "../statement.js"
import { arraysOf } from "./together.js"

type Waiting<Row> = {
  readonly values: readonly Value[]
  resolve(rows: Row[]): void
  reject(error: unknown): void
}

/**
 * A transaction in which runs that are asked for in one turn of the event loop leave as one statement, where theirs
 * says how. When that fails all of them do, and nothing tells for whose sake; but then the transaction is over anyway.
 */
export function gather({ run, ...inside }: Inside): Inside {
  const queues = new Map<Statement<unknown>, Waiting<unknown>[]>()

  function leave(): void {
    const all = [...queues]
    queues.clear()
    for (const [statement, waiting] of all)
      for (const runs of portionsOf(waiting, statement.together?.apart)) void answer(statement, runs)
  }

  async function answer(statement: Statement<unknown>, runs: readonly Waiting<unknown>[]): Promise<void> {
    try {
      const found = await rowsOf(statement, runs)
      runs.forEach(({ resolve }, index) => {
        resolve(found[index] ?? [])
      })
    } catch (error) {
      for (const { reject } of runs) reject(error)
    }
  }

  async function rowsOf(statement: Statement<unknown>, runs: readonly Waiting<unknown>[]): Promise<unknown[][]> {
    const [first] = runs
    if (first === undefined) return []
    if (runs.length === 1) return [await run(statement, first.values)]
    const found: unknown[][] = runs.map(() => [])
    const { all } = statement.together as Together<unknown>
    for (const { place, row } of await run(all, arraysOf(runs.map(({ values }) => values)))) found[place - 1]?.push(row)
    return found
  }

  return {
    ...inside,
    run<Row>(statement: Statement<Row>, values: readonly Value[], meter?: Parameters<Runner["run"]>[2]) {
      if (statement.together === undefined) return run(statement, values, meter)
      return new Promise<Row[]>((resolve, reject) => {
        if (queues.size === 0) setImmediate(leave)
        const waiting = queues.get(statement) ?? []
        queues.set(statement, waiting)
        waiting.push({ values, resolve, reject } as Waiting<unknown>)
      })
    },
  }
}

/** The runs in their order, in as few portions as have no two runs that must not leave together. */
function portionsOf<Row>(waiting: readonly Waiting<Row>[], apart: Together<Row>["apart"]): Waiting<Row>[][] {
  const portions: Waiting<Row>[][] = [[]]
  let inside = new Set<string>()
  for (const one of waiting) {
    const key = apart?.(one.values)
    if (key !== undefined && inside.has(key)) {
      portions.push([])
      inside = new Set()
    }
    if (key !== undefined) inside.add(key)
    portions.at(-1)?.push(one)
  }
  return portions
}

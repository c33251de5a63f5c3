import { LRUCache } from "lru-cache"
import type { Id, Runner, Statement, Together, Value } from "../statement.js"
import { problemOf } from "./failure.js"

/** The most runs that leave in one statement: few enough that nobody waits long for the others. */
const MAX_AT_ONCE = 100
/** So many rows of which the node remembers by what they are locked. */
const REMEMBERED = 10_000

// The statement was rolled back for what one of its rows holds; the others are right.
const FAULT_OF_A_ROW = /^2[23]/

type Waiting<Row> = {
  readonly values: readonly Value[]
  resolve(rows: Row[]): void
  reject(error: unknown): void
}

/** What one statement takes for many runs: for each value the array of all of them. */
export function arraysOf(runs: readonly (readonly Value[])[]): string[] {
  return Array.from({ length: runs[0]?.length ?? 0 }, (_, index) => arrayOf(runs.map((values) => values[index])))
}

/** PostgreSQL's text of an array of what a statement takes. */
function arrayOf(values: readonly Value[]): string {
  const items = values.map((value) =>
    value == null ? "NULL" : typeof value === "string" ? `"${value.replace(/["\\]/g, "\\$&")}"` : String(value),
  )
  return `{${items.join(",")}}`
}

/**
 * Lets runs of statements that say so leave together: the first at once, what comes meanwhile in one statement when it has
 * been answered. `run` runs one alone and `attempt` one whose failure comes out as it is, both at once.
 */
export function runTogether(
  run: Runner["run"],
  attempt: Runner["run"],
): <Row>(statement: Statement<Row>, together: Together<Row>, values: readonly Value[]) => Promise<Row[]> {
  const queues = new Map<string, Waiting<unknown>[]>()
  const keys = new LRUCache<Id, string>({ max: REMEMBERED })
  const keyOf = (row: Id) => keys.get(row)

  async function drain<Row>(queue: string, statement: Statement<Row>, together: Together<Row>): Promise<void> {
    const waiting = queues.get(queue) as Waiting<Row>[]
    while (waiting.length > 0) {
      const batch = takeBatch(waiting, together)
      await (batch.length === 1 ? alone(statement, together, batch) : atOnce(statement, together, batch))
    }
    queues.delete(queue)
  }

  /** The first of those that wait, in their order; those that have to be apart from one of them go on waiting. */
  function takeBatch<Row>(waiting: Waiting<Row>[], { apart }: Together<Row>): Waiting<Row>[] {
    if (apart === undefined) return waiting.splice(0, MAX_AT_ONCE)
    const taken = new Map<Value, Waiting<Row>>()
    const left: Waiting<Row>[] = []
    for (const one of waiting.splice(0)) {
      const what = apart(one.values)
      if (taken.size < MAX_AT_ONCE && !taken.has(what)) taken.set(what, one)
      else left.push(one)
    }
    waiting.push(...left)
    return [...taken.values()]
  }

  const alone = <Row>(
    statement: Statement<Row>,
    together: Together<Row>,
    batch: readonly Waiting<Row>[],
  ): Promise<unknown> =>
    Promise.all(batch.map(({ values, resolve, reject }) => runAlone(statement, together, values).then(resolve, reject)))

  async function atOnce<Row>(
    statement: Statement<Row>,
    together: Together<Row>,
    batch: readonly Waiting<Row>[],
  ): Promise<unknown> {
    try {
      const found: Row[][] = batch.map(() => [])
      for (const { place, row } of await attempt(together.all, arraysOf(batch.map(({ values }) => values)))) {
        keys.set(...together.tells(row))
        found[place - 1]?.push(row)
      }
      batch.forEach(({ resolve }, index) => {
        resolve(found[index] as Row[])
      })
    } catch (error) {
      if (FAULT_OF_A_ROW.test((error as { code?: string }).code ?? "")) return alone(statement, together, batch)
      const reason = problemOf(error)
      for (const { reject } of batch) reject(reason)
    }
    return undefined
  }

  async function runAlone<Row>(
    statement: Statement<Row>,
    { tells }: Together<Row>,
    values: readonly Value[],
  ): Promise<Row[]> {
    const rows = await run(statement, values)
    for (const row of rows) keys.set(...tells(row))
    return rows
  }

  return (statement, together, values) => {
    const key = together.key(values, keyOf)
    if (key === undefined) return runAlone(statement, together, values)
    return new Promise((resolve, reject) => {
      const queue = `${statement.name} ${key}`
      const waiting = queues.get(queue)
      const mine = { values, resolve, reject } as Waiting<unknown>
      if (waiting !== undefined) waiting.push(mine)
      else {
        queues.set(queue, [mine])
        void drain(queue, statement, together)
      }
    })
  }
}

import type { Runner, Statement, Together, Value } from "../statement.js"
import { problemOf } from "./failure.js"

/** The most runs that leave in one statement: few enough that nobody waits long for the others. */
const MOST_AT_ONCE = 100

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

  async function drain<Row>(queue: string, statement: Statement<Row>, together: Together<Row>): Promise<void> {
    const waiting = queues.get(queue) as Waiting<Row>[]
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE)
      await (batch.length === 1 ? alone(statement, batch) : atOnce(statement, together, batch))
    }
    queues.delete(queue)
  }

  const alone = <Row>(statement: Statement<Row>, batch: readonly Waiting<Row>[]): Promise<unknown> =>
    Promise.all(batch.map(({ values, resolve, reject }) => run(statement, values).then(resolve, reject)))

  async function atOnce<Row>(
    statement: Statement<Row>,
    { all }: Together<Row>,
    batch: readonly Waiting<Row>[],
  ): Promise<unknown> {
    try {
      const found: Row[][] = batch.map(() => [])
      for (const { place, row } of await attempt(all, arraysOf(batch.map(({ values }) => values))))
        found[place - 1]?.push(row)
      batch.forEach(({ resolve }, index) => {
        resolve(found[index] as Row[])
      })
    } catch (error) {
      if (FAULT_OF_A_ROW.test((error as { code?: string }).code ?? "")) return alone(statement, batch)
      const reason = problemOf(error)
      for (const { reject } of batch) reject(reason)
    }
    return undefined
  }

  return (statement, together, values) =>
    new Promise((resolve, reject) => {
      const queue = `${statement.name} ${together.key?.(values)}`
      const waiting = queues.get(queue)
      const mine = { values, resolve, reject } as Waiting<unknown>
      if (waiting !== undefined) waiting.push(mine)
      else {
        queues.set(queue, [mine])
        void drain(queue, statement, together)
      }
    })
}

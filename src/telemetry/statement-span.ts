import type { DatabaseClient } from "../database/client.js"
import type { Runner } from "../statement.js"
import { failed, SpanKind, type Trace } from "./trace.js"

/** A span for each statement that is run for something traced: its name is what the log of PostgreSQL calls it too. Prisma's have none. */
export const statementSpans =
  (trace: Trace) =>
  (db: DatabaseClient): DatabaseClient => {
    const traced = ({ run }: Runner): Runner => ({
      async run(statement, values, meter) {
        const parent = trace.current()
        if (parent === undefined) return run(statement, values, meter)
        const attributes = { "db.system.name": "postgresql", "db.operation.name": statement.name }
        const span = trace.start(statement.name, SpanKind.CLIENT, attributes, parent)
        try {
          const rows = await run(statement, values, meter)
          span.setAttribute("db.response.returned_rows", rows.length)
          return rows
        } catch (error) {
          failed(span, error)
          throw error
        } finally {
          span.end()
        }
      },
    })
    return {
      ...db,
      run: traced(db).run,
      pinned: (share) => traced(db.pinned(share)),
      searching: traced(db.searching),
      transaction: (work, mayGoOn) => db.transaction((inside) => work({ ...inside, ...traced(inside) }), mayGoOn),
    }
  }

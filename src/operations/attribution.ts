import { writerToName } from "../access/writer.js"
import type { Context } from "../context.js"
import { type Runner, statement } from "../statement.js"
import { fewForEach, type Transaction } from "./idempotency.js"

/** Says for the rest of a transaction which application writes, where the triggers find it: $1 the writer. */
const nameWriter = statement("name_writer", "select set_config('tandem.writer', $1, true)", () => true)

/** Says in a transaction of a request which application writes. To be called before its first write. */
export async function attribute(inside: Runner, context: Context): Promise<void> {
  const writer = writerToName(context)
  if (writer !== null) await inside.run(nameWriter, [writer])
}

/**
 * The same request, each of whose statements says which application writes, in a transaction of its own. Costs nothing where no
 * webhook leaves anything out.
 */
export function attributed(context: Context, transaction: Transaction): Context {
  if (writerToName(context) === null) return context
  const transacted = fewForEach(transaction, context.viewer.userId)
  const runner: Runner = {
    run: (what, values) =>
      transacted(async (inside) => {
        await attribute(inside, context)
        return inside.run(what, values, context.held)
      }),
  }
  return { ...context, db: { ...context.db, ...runner, pinned: () => runner, prisma: context.db.prisma } }
}

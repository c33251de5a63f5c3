import { actorOf } from "../access/writer.js"
import type { Context, Inside } from "../context.js"
import { Unavailable } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import { countedIn } from "./counted.js"
import { fewForEach, type Transaction } from "./idempotency.js"
import { oneOfFew } from "./one-after-another.js"

/** After so long a transaction of many writes begins no further statement: others wait for what it has locked. */
const MAX_MS = 10_000
/** Of how many transactions of many writes one runs and the others wait. */
const MAX_AT_ONCE = 20

/**
 * The same request with its statements in one transaction, which says already which application writes: nothing of it runs in
 * a transaction of its own. What tells the node of its rows does so once they are committed.
 */
export function inTransaction(context: Context, { run, prismaAs, afterCommit }: Inside): Context {
  const { tokensEnded, skippedWriters } = context
  const measured: Runner = { run: (statement, values) => run(statement, values, context.held) }
  return {
    ...context,
    db: {
      ...measured,
      pinned: () => measured,
      searching: measured,
      prisma: prismaAs(actorOf(context), countedIn(context.held)),
      prismaAs,
    },
    tokensEnded: (ids) => afterCommit(() => tokensEnded(ids)),
    skippedWriters: {
      has: () => false,
      add: (writer) => afterCommit(() => skippedWriters.add(writer)),
      refresh: async () => afterCommit(() => void skippedWriters.refresh()),
    },
    loaders: new Map(),
  }
}

/**
 * Transactions of many writes: one user has one at a time on a node, so that they leave connections to others and do not wait
 * for each other's locks in the database; and none of them holds its locks for long.
 * @throws RateLimited when too many of the user wait, Unavailable for one that takes too long
 */
export const oneForEach =
  (transaction: Transaction, userId: Id): Transaction =>
  (work) =>
    oneOfFew(transaction, { key: `many of ${userId}`, most: MAX_AT_ONCE }, () =>
      limited(fewForEach(transaction, userId), work),
    )

function limited<Result>(transaction: Transaction, work: (inside: Inside) => Promise<Result>): Promise<Result> {
  let end = Number.POSITIVE_INFINITY
  return transaction(
    (inside) => {
      end = performance.now() + MAX_MS
      return work(inside)
    },
    () => {
      if (performance.now() > end)
        throw new Unavailable(
          `The changes took longer than ${MAX_MS / 1_000} seconds together, and none of them was made. Send fewer at once.`,
        )
    },
  )
}

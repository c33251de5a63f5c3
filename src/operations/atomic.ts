import type { Context, Transacted } from "../context.js"
import type { Id, Runner } from "../statement.js"
import { oneAfterAnother, type Transaction } from "./idempotency.js"

/** The same request with its statements in one transaction. */
export function inTransaction(context: Context, { run, prisma }: Transacted): Context {
  const measured: Runner = { run: (statement, values) => run(statement, values, context.held) }
  return { ...context, db: { ...measured, pinned: () => measured, prisma }, loaders: new Map() }
}

/**
 * Transactions of many writes: one user has one at a time on a node, so that they leave connections to others and do not wait
 * for each other's locks in the database.
 */
export const oneForEach =
  (transaction: Transaction, userId: Id): Transaction =>
  (work) =>
    oneAfterAnother(transaction, `many of ${userId}`, () => transaction(work))

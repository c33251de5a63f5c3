import { Unavailable } from "../errors.js"
import type { Log } from "../log.js"
import { type Runner, statement } from "../statement.js"
import { signingKey } from "./signing-key.js"

const KEY = "addresses"

// A key that was drawn by lot names the database; another one that is at the same address has another, or no such table.
const whatAnswers = statement(
  "what_answers",
  `select current_setting('transaction_read_only'), exists (select from signing_keys where name = '${KEY}' and value = decode($1, 'hex'))`,
  ([isReadOnly, isOurs]) =>
    isReadOnly === "on" ? "it is read-only" : isOurs === "t" ? undefined : "it is not the database of this node",
)

/**
 * Makes what `/readyz` asks: it rejects while the database does not answer, takes no writes, as a primary that has been demoted
 * does, or is not the one that this node was started on. The log says which.
 */
export async function readinessOf(db: Runner, log: Log): Promise<() => Promise<void>> {
  const key = await signingKey(db, KEY)
  let told: string | undefined
  return async () => {
    const [reason] = await db.run(whatAnswers, [key])
    if (reason !== undefined && reason !== told) log.warn({ why: reason }, "the database cannot serve")
    told = reason
    if (reason !== undefined) throw new Unavailable()
  }
}

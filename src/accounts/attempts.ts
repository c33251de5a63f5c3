import { createHash } from "node:crypto"
import type { Rows } from "../context.js"
import { RateLimited } from "../errors.js"
import type { Runner } from "../statement.js"
import { countOne, countSoFar } from "./attempts.statements.js"

const WINDOW_SECONDS = 900

/** How often an account's password, or an application's secret or code, may be wrong in 15 minutes, over all clients. */
const FAILURE_LIMIT = 10

/** What is counted together, such as `["password", "ann@example.org"]`. Only a hash of it is stored. */
export type Counted = readonly string[]

const keyOf = (counted: Counted) => createHash("sha256").update(JSON.stringify(counted)).digest()

const tooMany = (now: { count: number; secondsLeft: number } | undefined, limit: number): void => {
  if (now !== undefined && now.count > limit) throw new RateLimited(now.secondsLeft)
}

/** Counts one failure. @throws RateLimited when that is one too many */
export async function countFailure(database: Runner, counted: Counted, limit = FAILURE_LIMIT): Promise<void> {
  const [now] = await database.run(countOne, [keyOf(counted), WINDOW_SECONDS])
  tooMany(now, limit)
}

/** @throws RateLimited when there were more failures than allowed; counts nothing */
export async function refuseAfterFailures(database: Runner, counted: Counted, limit = FAILURE_LIMIT): Promise<void> {
  const [now] = await database.run(countSoFar, [keyOf(counted)])
  tooMany(now, limit)
}

/** An attempt that counts as failed until it is said to have succeeded. */
export type Attempt = {
  /** How many failures there are with this one. */
  readonly count: number
  /** @throws RateLimited when that is one failure too many */
  fail(): void
  /** Forgets all failures. */
  succeed(): Promise<void>
  /** It was no failure after all; those before it stay. */
  takeBack(): Promise<void>
}

/** Counts an attempt before it is made, so that a thousand at once are no way round the limit.
 *  @throws RateLimited when there were more failures than allowed */
export async function beginAttempt(
  database: Runner & Rows,
  counted: Counted,
  limit = FAILURE_LIMIT,
  windowSeconds = WINDOW_SECONDS,
): Promise<Attempt> {
  const [now] = await database.run(countOne, [keyOf(counted), windowSeconds])
  tooMany(now, limit + 1)
  return {
    count: now?.count ?? 1,
    fail: () => tooMany(now, limit),
    succeed: () => forgetFailures(database, counted),
    takeBack: () => takeFailureBack(database, counted),
  }
}

/** What was counted as a failure has turned out to be none. */
export async function takeFailureBack({ prisma }: Rows, counted: Counted): Promise<void> {
  await prisma.attempt.updateMany({
    where: { key: keyOf(counted), count: { gt: 0 } },
    data: { count: { decrement: 1 } },
  })
}

/** Forgets the failures of somebody who has proved otherwise who they are. */
export async function forgetFailures({ prisma }: Rows, counted: Counted): Promise<void> {
  await prisma.attempt.deleteMany({ where: { key: keyOf(counted) } })
}

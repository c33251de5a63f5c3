import { createHash } from "node:crypto"
import { RateLimited } from "../errors.js"
import { type Runner, statement } from "../statement.js"

const WINDOW_SECONDS = 900

/** How often an account's password, or an application's secret or code, may be wrong in 15 minutes, over all clients. */
const FAILURE_LIMIT = 10

/** What is counted together, such as `["password", "ann@example.org"]`. Only a hash of it is stored. */
export type Counted = readonly string[]

const keyOf = (counted: Counted) => createHash("sha256").update(JSON.stringify(counted)).digest()

type Count = { count: number; secondsLeft: number }
const read = ([count, seconds]: readonly (string | null)[]): Count => ({
  count: Number(count),
  secondsLeft: Math.max(1, Number(seconds)),
})

// One row for each key, so that all nodes count together and parallel attempts one after another.
const countOne = statement(
  "count_attempt",
  `insert into attempts as a (key, count, expires_at) values ($1, 1, now() + make_interval(secs => $2::int))
   on conflict (key) do update set count = case when a.expires_at > now() then a.count + 1 else 1 end,
     expires_at = case when a.expires_at > now() then a.expires_at else excluded.expires_at end
   returning count, ceil(extract(epoch from expires_at - now()))`,
  read,
)
const countSoFar = statement(
  "attempts_so_far",
  "select count, ceil(extract(epoch from expires_at - now())) from attempts where key = $1 and expires_at > now()",
  read,
)
const forget = statement("forget_attempts", "delete from attempts where key = $1", () => true)

const takeOneBack = statement(
  "take_attempt_back",
  "update attempts set count = count - 1 where key = $1 and count > 0",
  () => true,
)

const tooMany = (now: Count | undefined, limit: number): void => {
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
  database: Runner,
  counted: Counted,
  limit = FAILURE_LIMIT,
  windowSeconds = WINDOW_SECONDS,
): Promise<Attempt> {
  const [now] = await database.run(countOne, [keyOf(counted), windowSeconds])
  tooMany(now, limit + 1)
  return {
    count: now?.count ?? 1,
    fail: () => tooMany(now, limit),
    async succeed() {
      await database.run(forget, [keyOf(counted)])
    },
    takeBack: () => takeFailureBack(database, counted),
  }
}

/** What was counted as a failure has turned out to be none. */
export async function takeFailureBack(database: Runner, counted: Counted): Promise<void> {
  await database.run(takeOneBack, [keyOf(counted)])
}

/** Forgets the failures of somebody who has proved otherwise who they are. */
export async function forgetFailures(database: Runner, counted: Counted): Promise<void> {
  await database.run(forget, [keyOf(counted)])
}

import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "../context.js"
import { BadRequest, KeyReused, Unavailable } from "../errors.js"
import { type Id, type Runner, statement } from "../statement.js"

/** An answer that can be given again. */
export type Answer = { readonly status: number; readonly body: string }

/** Runs in one transaction, again after a deadlock. */
export type Transaction = <Result>(work: (runner: Runner) => Promise<Result>) => Promise<Result>

/** What makes a request the same as an earlier one. */
export type RepeatKey = {
  readonly key: string
  /** SHA-256 of what was asked. */
  readonly hash: Buffer
}

// A key whose 24 hours are over counts as new, whether or not it has been collected yet.
const claim = statement(
  "claim_idempotency_key",
  `insert into idempotency_keys as k (user_id, key, body_hash) values ($1::bigint, $2, $3)
   on conflict (user_id, key) do update set body_hash = excluded.body_hash, status = null, body = null, created_at = now()
   where k.created_at < now() - interval '24 hours' returning 1`,
  () => true,
)
/** The same for a request that runs in no transaction: when whoever ran it has died, another takes its place after a minute. */
const claimAside = statement(
  "claim_idempotency_key_aside",
  `insert into idempotency_keys as k (user_id, key, body_hash) values ($1::bigint, $2, $3)
   on conflict (user_id, key) do update set body_hash = excluded.body_hash, status = null, body = null, created_at = now()
   where k.created_at < now() - interval '24 hours' or (k.status is null and k.created_at < now() - interval '1 minute') returning 1`,
  () => true,
)
const forgetClaim = statement(
  "forget_claim",
  "delete from idempotency_keys where user_id = $1::bigint and key = $2 and status is null returning 1",
  () => true,
)
const firstAnswer = statement(
  "first_answer",
  "select k.body_hash = $3, k.status, k.body from idempotency_keys k where k.user_id = $1::bigint and k.key = $2",
  ([isSame, status, body]) => ({ isSame: isSame === "t", status: Number(status), body: body ?? "" }),
)
const keepAnswer = statement(
  "keep_answer",
  "update idempotency_keys set status = $3::integer, body = $4 where user_id = $1::bigint and key = $2 returning 1",
  () => true,
)

const LONGEST_KEY = 255
/** How often and how long a request looks for the answer of the one that it repeats. */
const LOOK_EVERY_MS = 100
const PATIENCE_MS = 30_000

/**
 * How a POST can be recognised when it is repeated; undefined when the client gave no name to it. The same Idempotency-Key
 * with another body is refused; a client may send the same X-Client-Request-Id with everything, so there another body is
 * another request. (§4)
 * @throws BadRequest for a key that is empty or too long
 */
export function repeatKeyOf({ headers }: IncomingMessage, path: string, body: unknown): RepeatKey | undefined {
  const key = headers["idempotency-key"]
  const requestId = headers["x-client-request-id"]
  if (key === undefined && requestId === undefined) return undefined
  const hash = createHash("sha256")
    .update(path)
    .update("\n")
    .update(JSON.stringify(body ?? null))
    .digest()
  if (key !== undefined) {
    if (typeof key !== "string" || key === "" || key.length > LONGEST_KEY)
      throw new BadRequest(`Idempotency-Key must have 1 to ${LONGEST_KEY} characters.`)
    return { key: `key:${key}`, hash }
  }
  return {
    key: `request:${createHash("sha256").update(String(requestId)).digest("hex")}:${hash.toString("hex")}`,
    hash,
  }
}

/**
 * Gives the first answer to a request that is repeated, else runs it and keeps its answer in the transaction that makes the
 * change: however many arrive at once and whenever the process ends, it is made once. `run` throws its refusals, which are
 * not kept.
 * @throws KeyReused
 */
export async function answerOnce(
  transaction: Transaction,
  userId: Id,
  { key, hash }: RepeatKey,
  run: (runner: Runner) => Promise<Answer>,
): Promise<Answer> {
  return transaction(async (runner) => {
    const [isMine] = await runner.run(claim, [userId, key, hash])
    if (isMine === undefined) {
      const [first] = await runner.run(firstAnswer, [userId, key, hash])
      if (first === undefined || !first.isSame) throw new KeyReused()
      return first
    }
    const answer = await run(runner)
    await runner.run(keepAnswer, [userId, key, answer.status, answer.body])
    return answer
  })
}

/**
 * The same for a request that asks the network, which nothing does inside a transaction: the key is claimed first, those who
 * repeat it wait for the answer, and it is kept afterwards. Only where the process ends in between can it be made twice.
 * @throws KeyReused, Unavailable when the first has not been answered in half a minute
 */
export async function answerOnceAside(
  { run: runStatement }: Runner,
  userId: Id,
  { key, hash }: RepeatKey,
  run: () => Promise<Answer>,
): Promise<Answer> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const [isMine] = await runStatement(claimAside, [userId, key, hash])
    if (isMine !== undefined) break
    const [first] = await runStatement(firstAnswer, [userId, key, hash])
    if (first?.isSame === false) throw new KeyReused()
    if (first !== undefined && first.status !== 0) return first
    if (waited + LOOK_EVERY_MS >= PATIENCE_MS) throw new Unavailable()
    await sleep(LOOK_EVERY_MS)
  }
  try {
    const answer = await run()
    await runStatement(keepAnswer, [userId, key, answer.status, answer.body])
    return answer
  } catch (error) {
    await runStatement(forgetClaim, [userId, key]).catch(() => {}) // it ends by itself
    throw error
  }
}

/** The same request with its statements in one transaction. */
export const inTransaction = (context: Context, runner: Runner): Context => ({
  ...context,
  db: { run: runner.run, pinned: () => runner, prisma: context.db.prisma },
  loaders: new Map(),
})

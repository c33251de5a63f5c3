import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { BadRequest, KeyReused } from "../errors.js"
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

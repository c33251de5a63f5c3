import { createHash } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Inside, Viewer } from "../context.js"
import { AnswerNotStored, BadRequest, KeyReused, Unavailable } from "../errors.js"
import { type Id, type Runner, statement } from "../statement.js"
import { fewAtOnce, oneAfterAnother } from "./one-after-another.js"

/** Runs in one transaction, again after a deadlock. `mayGoOn` is asked before each statement, and throws where none may follow. */
export type Transaction = <Result>(work: (inside: Inside) => Promise<Result>, mayGoOn?: () => void) => Promise<Result>

/** So many transactions of one user's requests are under way on a node, each with one of its six connections, and so many wait. */
const FEW = { atOnce: 2, most: 5_000 }

/** Transactions of a user's requests, a few at once, so that they leave connections to others. @throws RateLimited when too many wait */
export const fewForEach =
  (transaction: Transaction, userId: Id): Transaction =>
  (work, mayGoOn) =>
    fewAtOnce(transaction, { key: userId, ...FEW }, () => transaction(work, mayGoOn))

/** What a client calls a request, so that its repetition is known. */
export type RepeatName = {
  readonly text: string
  /** Whether it names another request when it comes with another body; else that is a mistake of the client. */
  readonly isOfBody: boolean
}

/** What makes a request the same as an earlier one. */
export type RepeatKey = {
  readonly userId: Id
  /** Begins with the token that sent it: no other is answered by it. */
  readonly key: string
  /** SHA-256 of what was asked. */
  readonly hash: Buffer
}

/** What a request that comes again has to pass before it is answered: it may not see any more what was answered first. */
type MayRepeat = () => Promise<void>

// Not Prisma: it is asked with the changes of hot requests, and in their transactions. A key whose 24 hours are over counts as new,
// whether or not it has been collected yet. So does one, $4, that is claimed outside of a transaction: when the node that ran its
// request has died, another takes its place after a minute.
const claim = statement(
  "claim_idempotency_key",
  `insert into idempotency_keys as k (user_id, key, body_hash) values ($1::bigint, $2, $3)
   on conflict (user_id, key) do update set body_hash = excluded.body_hash, status = null, body = null, created_at = now()
   where k.created_at < now() - interval '24 hours' or ($4::boolean and k.status is null and k.created_at < now() - interval '1 minute') returning 1`,
  () => true,
)
const forgetClaim = statement(
  "forget_claim",
  "delete from idempotency_keys where user_id = $1::bigint and key = $2 and status is null returning 1",
  () => true,
)
const firstAnswer = statement(
  "first_answer",
  "select k.body_hash = $3, k.status is not null, k.body from idempotency_keys k where k.user_id = $1::bigint and k.key = $2",
  ([isSame, isAnswered, answer]) => ({
    isSame: isSame === "t",
    isAnswered: isAnswered === "t",
    answer: answer ?? null,
  }),
)
const keepAnswer = statement(
  "keep_answer",
  "update idempotency_keys set status = 200, body = $3 where user_id = $1::bigint and key = $2 returning 1",
  () => true,
)

const MAX_KEY_LENGTH = 255
/** How often and how long a request looks for the answer of the one that it repeats. */
const LOOK_EVERY_MS = 100
const PATIENCE_MS = 30_000

/** Not the one of zeros, which programs send that have none. */
const UUID = /^(?![0-]+$)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * What a request is called by its headers; undefined when the client gave no name to it. The same Idempotency-Key with
 * another body is refused. X-Client-Request-Id is a name where it is a UUID: some clients send the same word with
 * everything; with another body it is another request. (§4)
 * @throws BadRequest for a key that is empty or too long
 */
export function repeatNameOf({ headers }: IncomingMessage): RepeatName | undefined {
  const key = headers["idempotency-key"]
  if (key !== undefined) return repeatNameFrom(key, "Idempotency-Key")
  const requestId = headers["x-client-request-id"]
  if (typeof requestId !== "string" || !UUID.test(requestId)) return undefined
  return { text: `request:${requestId.toLowerCase()}`, isOfBody: true }
}

/** What a request is called by a key that its client chose. `where` the key stands. @throws BadRequest unless it has 1 to 255 characters */
export function repeatNameFrom(key: unknown, where: string): RepeatName {
  if (typeof key !== "string" || key === "" || key.length > MAX_KEY_LENGTH || key.includes("\0"))
    throw new BadRequest(`${where} must have 1 to ${MAX_KEY_LENGTH} characters.`)
  return { text: `key:${key}`, isOfBody: false }
}

/** The key under which a viewer's request is kept. `asked` are the texts that say what is asked for. */
export function repeatKeyOf(
  { userId, tokenId }: Viewer,
  { text, isOfBody }: RepeatName,
  asked: readonly string[],
): RepeatKey {
  const hash = createHash("sha256").update(asked.join("\n")).digest()
  return { userId, key: `${tokenId}:${text}${isOfBody ? `:${hash.toString("hex")}` : ""}`, hash }
}

/**
 * Gives the first answer to a request that is repeated, else runs it and keeps its answer in the transaction that makes the
 * change: however many arrive at once and whenever the process ends, it is made once. `run` throws its refusals, which are
 * not kept; it gives null for an answer that must not be kept, whose repetition is then refused.
 * @returns the first answer, or undefined when `run` has just given it
 * @throws KeyReused, AnswerNotStored, what `mayRepeat` throws
 */
export async function answerOnce(
  transaction: Transaction,
  { userId, key, hash }: RepeatKey,
  mayRepeat: MayRepeat,
  run: (inside: Inside) => Promise<string | null>,
): Promise<string | undefined> {
  return oneAfterAnother(transaction, `${userId}:${key}`, () =>
    fewForEach(
      transaction,
      userId,
    )(async (inside) => {
      const [isMine] = await inside.run(claim, [userId, key, hash, false])
      if (isMine === undefined) {
        await mayRepeat()
        return repeated((await inside.run(firstAnswer, [userId, key, hash]))[0])
      }
      await inside.run(keepAnswer, [userId, key, await run(inside)])
      return undefined
    }),
  )
}

/**
 * The same for a request that asks the network, which nothing does inside a transaction: the key is claimed first, those who
 * repeat it wait for the answer, and it is kept afterwards. Only where the process ends in between can it be made twice.
 * @throws KeyReused, AnswerNotStored, Unavailable when the first has not been answered in half a minute
 */
export async function answerOnceAside(
  { run: runStatement }: Runner,
  { userId, key, hash }: RepeatKey,
  mayRepeat: MayRepeat,
  run: () => Promise<string | null>,
): Promise<string | undefined> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const [isMine] = await runStatement(claim, [userId, key, hash, true])
    if (isMine !== undefined) break
    await mayRepeat()
    const [first] = await runStatement(firstAnswer, [userId, key, hash])
    if (first?.isSame === false) throw new KeyReused()
    if (first?.isAnswered) return repeated(first)
    if (waited + LOOK_EVERY_MS >= PATIENCE_MS) throw new Unavailable()
    await sleep(LOOK_EVERY_MS)
  }
  try {
    await runStatement(keepAnswer, [userId, key, await run()])
    return undefined
  } catch (error) {
    const forget = () => runStatement(forgetClaim, [userId, key])
    // Once more over another connection, where the one that failed was lost; else it ends by itself.
    await forget().catch(() =>
      sleep(LOOK_EVERY_MS)
        .then(forget)
        .catch(() => {}),
    )
    throw error
  }
}

function repeated(first: { isSame: boolean; answer: string | null } | undefined): string {
  if (first === undefined || !first.isSame) throw new KeyReused()
  if (first.answer === null) throw new AnswerNotStored()
  return first.answer
}

import type { Context } from "../context.js"
import type { Answer } from "./format-error.js"
import { answerOnce, inTransaction, type RepeatKey, type Transaction } from "./idempotency.js"
import type { Operation } from "./operations.js"
import { rootFieldNodes } from "./refusal.js"

/** How a request is recognised when it is repeated, and what keeps its first answer. */
export type Repeat = { readonly key: RepeatKey; readonly transaction: Transaction }

/**
 * Whether an operation is safe to repeat only with an Idempotency-Key: it makes things and does nothing else. A change or
 * deletion names a revision, so its repetition is refused anyway; an upload asks the storage, which no transaction may wait for.
 */
export const makesThings = ({ document, node }: Operation): boolean =>
  node.operation === "mutation" &&
  rootFieldNodes(document, node).every(({ name }) => /^create(?!Upload)/.test(name.value))

class NotKept extends Error {
  constructor(readonly answer: Answer) {
    super("refused")
  }
}

/** Gives the first answer to an operation that is repeated. What is refused is not kept. (§4) @throws KeyReused */
export async function runOnce(
  { key, transaction }: Repeat,
  context: Context,
  run: (context: Context) => Promise<Answer>,
): Promise<Answer> {
  try {
    const { body } = await answerOnce(transaction, context.viewer.userId, key, async (runner) => {
      const answer = await run(inTransaction(context, runner))
      if (answer.result.errors !== undefined) throw new NotKept(answer)
      return { status: answer.status, body: JSON.stringify(answer.result.data) }
    })
    return { result: { data: JSON.parse(body) }, status: 200, retryAfterSeconds: undefined }
  } catch (error) {
    if (error instanceof NotKept) return error.answer
    throw error
  }
}

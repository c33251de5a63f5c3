import type { ExecutionResult } from "graphql"
import type { Context } from "../context.js"
import type { Runner } from "../statement.js"
import { answerOnce, answerOnceAside, type RepeatName, repeatKeyOf, type Transaction } from "./idempotency.js"
import type { Operation, SentVariables } from "./operation.js"

/** How a request is recognised when it is repeated, and what keeps its first answer. */
export type Repeat = { readonly name: RepeatName; readonly transaction: Transaction }

class Refused extends Error {
  constructor(readonly result: ExecutionResult) {
    super("refused")
  }
}

/**
 * Runs an operation, or gives its first answer when it is repeated under the name that its client gave to it: the same for
 * every transport. Variables are checked first, and clients that have lost access are refused. A refusal is not stored
 * and, in a transaction, leaves nothing behind. (§4)
 * @throws KeyReused, AnswerNotKept, Unavailable
 */
export async function runOnce(
  operation: Operation,
  repeat: Repeat | undefined,
  context: Context,
  variables: SentVariables,
): Promise<ExecutionResult> {
  const { once, node, document } = operation
  if (once === undefined || repeat === undefined || (await operation.refusal(context, variables)) !== undefined)
    return operation.run(context, variables)
  const { name, transaction } = repeat
  // Only what is declared: the rest is read by nobody, and may be nested deeper than JSON can be written.
  const declared = node.variableDefinitions?.map(({ variable }) => variables?.[variable.name.value])
  const asked = [document.loc?.source.body ?? "", node.name?.value ?? "", JSON.stringify(declared)]
  const key = repeatKeyOf(context.viewer, name, asked)
  const mayRepeat = () => operation.judge(context, variables)
  let given: ExecutionResult | undefined
  const run = async (inside: Context): Promise<string | null> => {
    given = await operation.run(inside, variables)
    if (given.errors !== undefined) throw new Refused(given)
    return once.holdsSecret ? null : JSON.stringify(given.data)
  }
  try {
    const first =
      once.how === "aside"
        ? await answerOnceAside(context.db, key, mayRepeat, () => run(context))
        : await answerOnce(transaction, key, mayRepeat, (runner) => run(inTransaction(context, runner)))
    return first === undefined ? (given as ExecutionResult) : { data: JSON.parse(first) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { result } = error
    return once.how === "aside" || result.data == null ? result : { ...result, data: null }
  }
}

/** The same request with its statements in one transaction. */
const inTransaction = (context: Context, runner: Runner): Context => ({
  ...context,
  db: { run: runner.run, pinned: () => runner, prisma: context.db.prisma },
  loaders: new Map(),
})

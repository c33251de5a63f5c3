import type { ExecutionResult } from "graphql"
import type { Context, Inside, Viewer } from "../context.js"
import { inTransaction, oneForEach } from "./atomic.js"
import { attribute, attributed } from "./attribution.js"
import {
  answerOnce,
  answerOnceAside,
  type RepeatKey,
  type RepeatName,
  repeatKeyOf,
  type Transaction,
} from "./idempotency.js"
import { lockRows, rowsNamedBy } from "./lock-rows.js"
import type { Operation, SentVariables } from "./operation.js"

/** How a request is recognised when it is repeated, if its client gave a name to it, and what keeps its first answer. */
export type Repeat = { readonly name: RepeatName | undefined; readonly transaction: Transaction }

class Refused extends Error {
  constructor(readonly result: ExecutionResult) {
    super("refused")
  }
}

/**
 * Runs an operation, or gives its first answer when it is repeated under the name that its client gave to it: the same for
 * every transport. Variables are checked first, and clients that have lost access are refused. A refusal is not stored
 * and, in a transaction, leaves nothing behind; an atomic operation always has one. (§4)
 * @throws KeyReused, AnswerNotStored, Unavailable
 */
export async function runOnce(
  operation: Operation,
  { name, transaction }: Repeat,
  context: Context,
  variables: SentVariables,
): Promise<ExecutionResult> {
  const { once, isAtomic } = operation
  const isNamed = once !== undefined && name !== undefined
  if ((!isNamed && !isAtomic) || (await operation.refusal(context, variables)) !== undefined)
    return operation.run(
      operation.node.operation === "mutation" ? attributed(context, transaction) : context,
      variables,
    )
  const { viewer, db } = context
  let given: ExecutionResult | undefined
  const run = async (inside: Context): Promise<string | null> => {
    given = await operation.run(inside, variables)
    if (given.errors !== undefined) throw new Refused(given)
    return once?.holdsSecret ? null : JSON.stringify(given.data)
  }
  const within = async (inside: Inside): Promise<string | null> => {
    await attribute(inside, context)
    if (isAtomic) await lockRows(inside, viewer.userId, rowsNamedBy(operation.roots(variables)))
    return run(inTransaction(context, inside))
  }
  const mine = isAtomic ? oneForEach(transaction, viewer.userId) : transaction
  try {
    if (!isNamed) {
      await mine(within)
      return given as unknown as ExecutionResult
    }
    const key = keyOf(operation, viewer, name, variables)
    const mayRepeat = () => operation.judge(context, variables)
    const first =
      once.how === "aside"
        ? await answerOnceAside(db, key, mayRepeat, () => run(context))
        : await answerOnce(mine, key, mayRepeat, within)
    return first === undefined ? (given as ExecutionResult) : { data: JSON.parse(first) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { result } = error
    return once?.how === "aside" || result.data == null ? result : { ...result, data: null }
  }
}

function keyOf({ node, document }: Operation, viewer: Viewer, name: RepeatName, variables: SentVariables): RepeatKey {
  // Only what is declared: the rest is read by nobody, and may be nested deeper than JSON can be written.
  const declared = node.variableDefinitions?.map(({ variable }) => variables?.[variable.name.value])
  return repeatKeyOf(viewer, name, [document.loc?.source.body ?? "", node.name?.value ?? "", JSON.stringify(declared)])
}

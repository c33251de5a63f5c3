import type { Inside } from "../../context.js"
import { gather } from "../../database/gather.js"
import { Problem } from "../../errors.js"
import { inTransaction, oneForEach } from "../../operations/atomic.js"
import { attribute } from "../../operations/attribution.js"
import { answerOnce, type Transaction } from "../../operations/idempotency.js"
import { lockRows, type NamedRow, rowsNamedBy } from "../../operations/lock-rows.js"
import { Blamed, type Inner } from "./batch-request.js"
import {
  answerInner,
  answerOf,
  type InnerAnswer,
  kept,
  keyOf,
  mayRepeat,
  type Run,
  shown,
  UNDECIDED,
  variablesOf,
} from "./batch-step.js"
import { type Referred, UNKNOWN } from "./references.js"

/**
 * Runs a batch in one transaction and gives its answer. All rows that it names are locked before the first write.
 * @throws Blamed when one of its requests is refused, and then nothing of it stays
 */
export async function allOrNothing(run: Run, requests: readonly Inner[]): Promise<string> {
  const { parts, context, name } = run
  const rows = rowsNamed(run, requests)
  const text = await togetherFirst(
    oneForEach(parts.transaction, context.viewer.userId),
    async (transaction, isTogether) => {
      const groups = isTogether ? groupsOf(requests) : requests.map((one) => [one])
      const work = async (inside: Inside): Promise<string> => {
        await attribute(inside, context)
        await lockRows(inside, context.viewer.userId, rows)
        return runGroups(run, groups, inside)
      }
      if (name === undefined) return transaction(work)
      let answer = ""
      const first = await answerOnce(
        transaction,
        keyOf(run, name, "atomic", requests),
        () => mayRepeat(run, requests),
        async (inside) => {
          answer = await work(inside)
          return kept(answer)
        },
      )
      return first ?? answer
    },
  )
  if (requests.some(({ method }) => method !== "GET")) parts.onWrite()
  return text
}

/**
 * Runs `work` in a transaction where writes of one kind leave together; when one is refused, once more with each by itself:
 * only then it is certain which is to blame. `work` is told which it is.
 */
async function togetherFirst<Result>(
  transaction: Transaction,
  work: (transaction: Transaction, isTogether: boolean) => Promise<Result>,
): Promise<Result> {
  try {
    return await work((inner) => transaction((inside) => inner(gather(inside))), true)
  } catch (error) {
    const problem = error instanceof Blamed ? error.problem : error
    if (!(error instanceof Blamed) || (problem instanceof Problem && UNDECIDED.has(problem.kind.status))) throw error
    return work(transaction, false)
  }
}

/** The longest rows of requests for one thing after another that do not refer to each other. */
function groupsOf(requests: readonly Inner[]): Inner[][] {
  const groups: Inner[][] = []
  for (const one of requests) {
    const group = groups.at(-1)
    const fits = group?.every(({ row, id }) => row === one.row && !one.refersTo.includes(id))
    if (fits) group?.push(one)
    else groups.push([one])
  }
  return groups
}

async function runGroups(run: Run, groups: readonly (readonly Inner[])[], inside: Inside): Promise<string> {
  const whole = inTransaction(run.context, inside)
  const answers = new Map<string, InnerAnswer>()
  const texts: string[] = []
  for (const group of groups) {
    const context = { ...whole, viewer: await run.checkToken() }
    const settled = await Promise.allSettled(group.map((inner) => answerInner(run, inner, { context, answers })))
    settled.forEach((one, index) => {
      const inner = group[index] as Inner
      if (one.status === "rejected") throw new Blamed(one.reason as Problem, inner.id)
      answers.set(inner.id, one.value)
      texts.push(shown(inner, one.value))
    })
  }
  // What was written is committed only if all of it may still be.
  const viewer = await run.checkToken()
  for (const { row } of groups.flat()) if (!(row instanceof Problem)) row.admit(viewer)
  return answerOf(texts)
}

/** The rows that are known to be written to; what is wrong with a request is told when it is its turn. */
function rowsNamed(run: Run, requests: readonly Inner[]): NamedRow[] {
  // What is read or changed under an identifier has it in its answer too.
  const referred = (request: string): Referred => {
    const inner = requests.find(({ id }) => id === request)
    const isKnown = inner?.refersTo.length === 0 && (inner.method === "GET" || inner.method === "PATCH")
    return { ...UNKNOWN, id: (isKnown && run.find(inner.method, inner.path)?.id) || UNKNOWN.id }
  }
  return requests.flatMap((inner) => {
    const { row, method } = inner
    if (row instanceof Problem || method === "GET") return []
    try {
      const operation = row.operationOf(run.context.viewer.dialect)
      return rowsNamedBy(operation.roots(variablesOf(run, inner, referred)))
    } catch {
      return []
    }
  })
}

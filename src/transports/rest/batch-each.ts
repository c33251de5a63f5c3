import { FailedDependency, Unavailable } from "../../errors.js"
import { answerOnceAside } from "../../operations/idempotency.js"
import type { Inner } from "./batch-request.js"
import { answerInner, answerOf, type InnerAnswer, kept, keyOf, mayRepeat, type Run, shown } from "./batch-step.js"
import { errorBody } from "./error-body.js"
import { problemOf } from "./row.js"

/** Runs the requests of a batch one after the other, each for itself, and gives its answer, which tells what became of each. */
export async function eachByItself(run: Run, requests: readonly Inner[]): Promise<string> {
  const { name, context } = run
  if (name === undefined) return answerEach(run, requests)
  let answer = ""
  const first = await answerOnceAside(
    context.db,
    keyOf(run, name, "each", requests),
    () => mayRepeat(run, requests),
    async () => {
      answer = await answerEach(run, requests)
      return kept(answer)
    },
  )
  return first ?? answer
}

async function answerEach(run: Run, requests: readonly Inner[]): Promise<string> {
  const answers = new Map<string, InnerAnswer>()
  const texts: string[] = []
  let gone: Unavailable | undefined
  for (const inner of requests) {
    try {
      // What is out of reach is not asked for again and again.
      if (gone !== undefined) throw gone
      const answer = await answerOne(run, inner, answers)
      answers.set(inner.id, answer)
      texts.push(shown(inner, answer))
    } catch (error) {
      const problem = problemOf(run.parts, error, run.requestId)
      if (problem instanceof Unavailable) gone = problem
      texts.push(shown(inner, { status: problem.kind.status, text: errorBody(problem) }))
    }
  }
  return answerOf(texts)
}

async function answerOne(run: Run, inner: Inner, answers: ReadonlyMap<string, InnerAnswer>): Promise<InnerAnswer> {
  const { context, name } = run
  await run.checkToken()
  const refused = inner.refersTo.find((request) => !answers.has(request))
  if (refused !== undefined) throw new FailedDependency(refused)
  // So that it is made once, too, when the node ends in the middle and the batch is repeated.
  const own = inner.method === "POST" && name !== undefined ? { ...name, text: `${name.text} ${inner.id}` } : undefined
  const answer = await answerInner(run, inner, { context, answers, ...(own && { name: own }) })
  if (inner.method !== "GET") run.parts.onWrite()
  return answer
}

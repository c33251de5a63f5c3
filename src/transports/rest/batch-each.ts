import { FailedDependency, Unavailable } from "../../errors.js"
import { answerOnceAside } from "../../operations/idempotency.js"
import type { Inner } from "./batch-request.js"
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
} from "./batch-step.js"
import { errorBody } from "./error-body.js"
import { problemOf } from "./row.js"

/** After so long no further request is run: who repeats the batch takes it over after a minute. */
const MAX_MS = 45_000

/** Carries an answer past what would keep it: when it is asked for again, more of its requests may come to something. */
class Undecided extends Error {
  constructor(readonly answer: string) {
    super("undecided")
  }
}

/** Runs the requests of a batch one after the other, each for itself, and gives its answer, which tells what became of each. */
export async function eachByItself(run: Run, requests: readonly Inner[]): Promise<string> {
  const { name, context } = run
  if (name === undefined) return (await answerEach(run, requests)).answer
  let given = ""
  try {
    const first = await answerOnceAside(
      context.db,
      keyOf(run, name, "each", requests),
      () => mayRepeat(run, requests),
      async () => {
        const { answer, isDecided } = await answerEach(run, requests)
        if (!isDecided) throw new Undecided(answer)
        given = answer
        return kept(answer)
      },
    )
    return first ?? given
  } catch (error) {
    if (error instanceof Undecided) return error.answer
    throw error
  }
}

async function answerEach(
  run: Run,
  requests: readonly Inner[],
): Promise<{ readonly answer: string; readonly isDecided: boolean }> {
  const answers = new Map<string, InnerAnswer>()
  const texts: string[] = []
  const end = performance.now() + MAX_MS
  let isDecided = true
  let gone: Unavailable | undefined
  for (const inner of requests) {
    try {
      if (performance.now() > end)
        gone ??= new Unavailable("The requests before this one took too long. Send this one again.")
      // What is out of reach is not asked for again and again.
      if (gone !== undefined) throw gone
      const answer = await answerOne(run, inner, answers)
      answers.set(inner.id, answer)
      texts.push(shown(inner, answer))
    } catch (error) {
      const problem = problemOf(run.parts, error, run.requestId)
      if (problem instanceof Unavailable) gone = problem
      if (UNDECIDED.has(problem.kind.status)) isDecided = false
      texts.push(shown(inner, { status: problem.kind.status, text: errorBody(problem) }))
    }
  }
  return { answer: answerOf(texts), isDecided }
}

async function answerOne(run: Run, inner: Inner, answers: ReadonlyMap<string, InnerAnswer>): Promise<InnerAnswer> {
  const { name } = run
  const context = { ...run.context, viewer: await run.checkToken() }
  const refused = inner.refersTo.find((request) => !answers.has(request))
  if (refused !== undefined) throw new FailedDependency(refused)
  // So that it is made once, too, when the node ends in the middle and the batch is repeated.
  const own = inner.method === "POST" && name !== undefined ? { ...name, text: `${name.text} ${inner.id}` } : undefined
  const answer = await answerInner(run, inner, { context, answers, ...(own && { name: own }) })
  if (inner.method !== "GET") run.parts.onWrite()
  return answer
}

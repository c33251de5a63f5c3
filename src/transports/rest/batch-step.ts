import type { Context, Viewer } from "../../context.js"
import { Problem } from "../../errors.js"
import { type RepeatKey, type RepeatName, repeatKeyOf } from "../../operations/idempotency.js"
import type { Find, Inner } from "./batch-request.js"
import { queryOf } from "./parameters.js"
import { type AnswerTo, type Referred, resolveBody, resolvePath } from "./references.js"
import type { RestParts } from "./rest-parts.js"
import { problemOf } from "./row.js"

/** One batch under way. */
export type Run = {
  readonly parts: RestParts
  readonly find: Find
  readonly context: Context
  readonly requestId: string
  /** What its client calls it. */
  readonly name: RepeatName | undefined
  /** The viewer with the scopes that the token has by now. @throws Unauthorized when it has ended since */
  checkToken(): Promise<Viewer>
}

/** An inner request's answer; `value` is what others refer to. */
export type InnerAnswer = { readonly status: number; readonly text: string; readonly value: unknown }

/** What came to nothing with one of these did so for reasons of the moment: neither its order nor its content is to blame. */
export const UNDECIDED: ReadonlySet<number> = new Set([401, 429, 503])

/** A larger answer is not kept for repetitions. */
const MAX_KEPT = 1_048_576

/** The variables of an inner request's operation. @throws Problem, where nothing answers it too */
export function variablesOf(
  { find, context }: Pick<Run, "find" | "context">,
  { row, method, path: sent, body: given, refersTo }: Inner,
  answerTo: AnswerTo,
): Record<string, unknown> {
  if (row instanceof Problem) throw row
  row.admit(context.viewer)
  const isPlain = refersTo.length === 0
  const path = isPlain ? sent : resolvePath(sent, answerTo)
  const body = isPlain ? given : resolveBody(given, answerTo)
  const id = find(method, path.split("?", 1)[0] as string)?.id
  return row.variablesOf(context.viewer.dialect, {
    id: id && decodeURIComponent(id),
    query: queryOf({ url: path }),
    body: method === "GET" ? undefined : (body ?? undefined),
  })
}

/** Runs one inner request in a context of its own. @throws Problem */
export async function answerInner(
  run: Run,
  inner: Inner,
  { context, answers, name }: { context: Context; answers: ReadonlyMap<string, InnerAnswer>; name?: RepeatName },
): Promise<InnerAnswer> {
  const { row } = inner
  const { dialect } = context.viewer
  const answerTo: AnswerTo = (request) => referredIn(answers.get(request)?.value)
  if (row instanceof Problem) throw row
  try {
    const variables = variablesOf({ find: run.find, context }, inner, answerTo)
    const repeat = { name, transaction: run.parts.transaction }
    const value = await row.valueOf({ ...context, loaders: new Map() }, variables, repeat)
    return { status: row.statusOf(dialect), text: row.textOf(dialect, value), value }
  } catch (error) {
    throw row.problemOf(error, run.requestId)
  }
}

const referredIn = (value: unknown): Referred =>
  typeof value === "object" && value !== null ? (value as Referred) : {}

/** One answer, pasted as the text that it already is: nothing is parsed and written again. */
export const shown = ({ id }: Inner, { status, text }: Pick<InnerAnswer, "status" | "text">): string =>
  `{"id":"${id}","status":${status}${text === "" ? "" : `,"body":${text}`}}`

/** The whole batch's answer out of those, in the order of its requests. */
export const answerOf = (shownAnswers: readonly string[]): string => `{"responses":[${shownAnswers.join(",")}]}`

/** A batch's answer as it is kept for repetitions; null where it is not. */
export const kept = (text: string): string | null => (text.length > MAX_KEPT ? null : text)

/** What a batch is known by when it is repeated under its name. */
export const keyOf = ({ context }: Run, name: RepeatName, mode: string, requests: readonly Inner[]): RepeatKey =>
  repeatKeyOf(context.viewer, name, [
    mode,
    JSON.stringify(requests.map(({ id, method, path, body }) => [id, method, path, body])),
  ])

/** Whether what a batch has made may still be made by its sender. @throws Problem */
export async function mayRepeat(run: Run, requests: readonly Inner[]): Promise<void> {
  const { context } = run
  for (const inner of requests) {
    if (inner.row instanceof Problem || inner.refersTo.length > 0) continue
    const operation = inner.row.operationOf(context.viewer.dialect)
    if (operation.once === undefined) continue
    try {
      await operation.judge(context, variablesOf(run, inner, referredIn))
    } catch (error) {
      throw problemOf(run.parts, error, run.requestId)
    }
  }
}

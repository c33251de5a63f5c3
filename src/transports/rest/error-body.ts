import { type Problem, RefusedInWords, RevisionConflict, Unauthorized } from "../../errors.js"
import { snakeCase } from "../../statement.js"
import { inRestWords } from "./wire-case.js"

/**
 * An error as the REST contract shows it: one object, with an array member for each invalid field (§7).
 * @param request of a batch, the one that is to blame
 */
export function errorBody(problem: Problem, request?: string): string {
  if (problem instanceof RefusedInWords) return JSON.stringify({ errors: problem.errors, request })
  const { type, translationKey, details } = problem.kind
  const violations = Object.entries(problem.violations).map(([field, texts]) => [
    snakeCase(field),
    texts.map(inRestWords),
  ])
  // What the message repeats of a client's own text stays as it is.
  const message = Object.entries(problem.violations)
    .flatMap(([field, texts]) => [
      ...texts.map((text) => [text, inRestWords(text)] as const),
      [field, snakeCase(field)] as const,
    ])
    .reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), problem.message)
  const shown = problem instanceof RevisionConflict && problem.current?.asRest()
  const current = shown ? { current: JSON.parse(shown) } : {}
  const error = {
    type,
    translation_key: translationKey,
    message,
    request,
    ...details,
    ...current,
    ...Object.fromEntries(violations),
  }
  return JSON.stringify(problem instanceof Unauthorized ? { error, unauthorized: true } : { error })
}

import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from "graphql"
import { problemOf } from "../database/failure.js"
import { InsufficientScope, Problem, ServerError } from "../errors.js"
import type { Log } from "../log.js"
import { copyError } from "./copy-error.js"
import { InvalidDocument } from "./document.js"

/** An answer as it goes out: errors that a client may see, and the status of HTTP for them. */
export type Answer = {
  readonly result: ExecutionResult
  readonly status: number
  /** Why it is refused, where it is: its headers go with the answer. */
  readonly problem: Problem | undefined
}

/** A client needs no more to see what is wrong, and a failed list can have thousands. */
const MAX_ERRORS = 50

/**
 * Makes a result fit to go out. What a client may not see of an error is logged under the request's id and replaced.
 * 200 whenever the operation was run, but 401, 503, and 403 for want of a scope, where nothing came of it; else the status of the refusal.
 */
export function answerOf(result: ExecutionResult, log: Log, requestId: string): Answer {
  if (result.errors === undefined) return { result, status: 200, problem: undefined }
  const errors = result.errors.slice(0, MAX_ERRORS).map((error) => visibleError(error, log, requestId))
  const problem = causeOf(errors[0]!)
  const status = result.data == null ? statusOf(problem, result.data === null) : 200
  return { result: { ...result, errors }, status, problem }
}

/** The answer to a request that failed before its operation was known. */
export function answerOfFailure(error: unknown, log: Log, requestId: string): Answer {
  if (error instanceof InvalidDocument) return { result: { errors: error.errors }, status: 400, problem: undefined }
  const visible = visibleError(asGraphQLError(error), log, requestId)
  const problem = causeOf(visible)
  return {
    result: { errors: [visible] },
    status: problem?.kind.status ?? 400,
    problem,
  }
}

/** An error as a client may see it: a Problem, or GraphQL's own about the document; anything else is logged and replaced. */
export function visibleError(error: GraphQLError, log: Log, requestId: string): GraphQLError {
  if (causeOf(error)) return error
  const cause = error.originalError ?? error
  if (typeof error.extensions?.code === "string" && cause instanceof GraphQLError) return error
  const known = problemOf(cause)
  if (known instanceof Problem) return located(known, error)
  log.error({ err: cause, requestId, path: error.path?.join(".") }, "an operation failed")
  return located(new ServerError(), error)
}

/** What an answer shows of an error. */
export const formatted = (error: GraphQLError): GraphQLFormattedError => error.toJSON()

/** Any error as one that GraphQL can carry. */
export const asGraphQLError = (error: unknown): GraphQLError =>
  error instanceof GraphQLError
    ? error
    : new GraphQLError("Failed.", { originalError: error instanceof Error ? error : new Error(String(error)) })

const causeOf = (error: GraphQLError): Problem | undefined => {
  const cause = error instanceof Problem ? error : error.originalError
  return cause instanceof Problem ? cause : undefined
}

const located = (problem: Problem, error: GraphQLError) =>
  copyError(error, { message: problem.message, originalError: problem, extensions: problem.extensions })

function statusOf(problem: Problem | undefined, wasRun: boolean): number {
  const status = problem?.kind.status ?? 400
  if (status === 401 || status === 503) return status
  if (problem instanceof InsufficientScope) return status
  if (wasRun) return 200
  return status === 500 ? 500 : 400
}

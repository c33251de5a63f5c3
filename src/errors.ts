import { GraphQLError } from "graphql"
import type { Scope } from "./scalars/scope.js"

/** What is wrong with which field, in the schema's camelCase: `{ title: ["must have 1 to 255 characters"] }`. */
export type Violations = Record<string, string[]>

/** What the REST contract says of an error beside its message (§7). */
type ErrorKind = {
  readonly status: number
  readonly type: string
  readonly translationKey: string
  /** Members of the error object beside the invalid field. */
  readonly details?: Readonly<Record<string, unknown>>
}

/**
 * An error that a client may see, over every transport: GraphQL shows its type in capitals as `extensions.code` and its violations as
 * `extensions.fields`; REST shows them as one object. Only this file chooses a status.
 */
export class Problem extends GraphQLError {
  readonly kind: ErrorKind
  readonly violations: Violations

  constructor(kind: ErrorKind, message: string, violations: Violations = {}, extensions: Record<string, unknown> = {}) {
    const fields = Object.keys(violations).length === 0 ? {} : { fields: violations }
    super(message, { extensions: { code: kind.type.toUpperCase(), ...fields, ...extensions } })
    this.name = new.target.name
    this.kind = kind
    this.violations = violations
  }
}

/** 401: a header is missing, the client or the token is unknown, revoked or another client's (§5). */
export class Unauthorized extends Problem {
  constructor(
    message = "You are not authorized to make this request. Send X-Client-ID and X-Access-Token, or Authorization: Bearer and the token.",
  ) {
    super({ status: 401, type: "unauthorized", translationKey: "api_error_unauthorized" }, message)
  }
}

/** 400: a parameter is missing or of the wrong JSON type. */
export class MissingParameter extends Problem {
  constructor(violations: Violations) {
    const kind = { status: 400, type: "missing_parameter", translationKey: "api_error_missing_params" }
    super(kind, `Missing or mistyped parameter: ${sentence(violations)}.`, violations)
  }
}

/** 400: the request itself cannot be read. `status` differs for what HTTP has a number of its own. */
export class BadRequest extends Problem {
  constructor(message: string, violations: Violations = {}, status = 400, extensions: Record<string, unknown> = {}) {
    super({ status, type: "bad_request", translationKey: "api_error_bad_request" }, message, violations, extensions)
  }
}

/** What is stored of a thing that a client wanted to change, as its GET shows it. */
export type Current = {
  /** As GraphQL shows it. */
  readonly value: object
  /** As REST shows it: the JSON. */
  asRest(): string
}

/** An error of a stale revision: it can carry what is stored, for viewers who may see that. */
export type Stale = Problem & { withCurrent(current: Current): Problem }

/** Whether an error is one of a stale revision. */
export const isStale = (error: unknown): error is Stale => error instanceof Problem && "withCurrent" in error

/**
 * 400 in the two shapes of §7, `{"errors":[…]}`: a finish without parts, a file's deletion that fails.
 * `errors` is that array as it is sent.
 */
export class RefusedInWords extends BadRequest {
  constructor(
    readonly errors: readonly string[],
    current?: Current,
  ) {
    super(errors.join(" "), {}, 400, currentIn(current))
  }
}

/** The same where the revision is stale: REST says no more than §7 has it say. */
export class StaleInWords extends RefusedInWords {
  withCurrent(current: Current): Problem {
    return new StaleInWords(this.errors, current)
  }
}

/** 422: a value is of the right type and not allowed: a limit of §8, a rule across fields. */
export class InvalidFields extends Problem {
  constructor(violations: Violations) {
    const kind = { status: 422, type: "validation_error", translationKey: "api_error_validation_error" }
    super(kind, `Invalid: ${sentence(violations)}.`, violations)
  }
}

/** 404: no such thing, or none that the viewer may see. The two cannot be told apart. */
export class NotFound extends Problem {
  constructor(message = "The resource you requested could not be found.") {
    super({ status: 404, type: "not_found", translationKey: "api_error_not_found" }, message)
  }
}

/** For `catch`, where nothing is wrong with what is not found. @throws every other error */
export function undefinedIfNotFound(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
  return undefined
}

const permission = (status: number) => ({
  status,
  type: "permission_error",
  translationKey: "api_error_permission",
  details: { permissions: "failed" },
})

/** 404: a child is to be made under a list or task that is not open to the viewer, or does not exist. */
export class ClosedParent extends Problem {
  constructor(message = "You do not have permission to add to this list or task.") {
    super(permission(404), message)
  }
}

/** 403: visible to the viewer, who may not change it in this way. */
export class Forbidden extends Problem {
  constructor(message: string) {
    super(permission(403), message)
  }
}

/** 403: the token is good, and not for this. `scopes` are all that the request needs. (RFC 6750, section 3.1) */
export class InsufficientScope extends Problem {
  constructor(readonly scopes: readonly Scope[]) {
    const scope = scopes.join(" ")
    const kind = {
      status: 403,
      type: "insufficient_scope",
      translationKey: "api_error_insufficient_scope",
      details: { scope },
    }
    super(kind, `This needs a token with the scope ${scopes.join(" and ")}.`, {}, { scope })
  }
}

/** 409: the revision that was sent is not current (§9). `current` is what is stored. Look at that and repeat the change. */
export class RevisionConflict extends Problem {
  constructor(readonly current?: Current) {
    const kind = {
      status: 409,
      type: "conflict",
      translationKey: "api_error_conflict",
      details: { revision_conflict: true },
    }
    const message =
      "The revision is stale: the object was changed in the meantime. Read it again and repeat the change."
    super(kind, message, {}, currentIn(current))
  }

  withCurrent(current: Current): Problem {
    return new RevisionConflict(current)
  }
}

/** 409: the same Idempotency-Key came with another body. */
export class KeyReused extends Problem {
  constructor() {
    const kind = { status: 409, type: "conflict", translationKey: "api_error_conflict" }
    super(kind, "This Idempotency-Key was used with another request. Use a new key for a new request.")
  }
}

/** 409: what is asked for again under the same name is done, and its answer is kept nowhere: it held a secret, or was very large. */
export class AnswerNotStored extends Problem {
  constructor() {
    const kind = { status: 409, type: "conflict", translationKey: "api_error_conflict" }
    super(
      kind,
      "This request was executed before, and its response is not stored: it contained a secret or was very large. Use a new key to execute it again.",
    )
  }
}

/** 410: the events that a subscription is to begin with are gone, or were never there. Read everything again, then subscribe. */
export class ResyncRequired extends Problem {
  constructor(
    message = "What lies behind this place is no longer stored. Start again with `changes` without a cursor: it gives everything, and a new one.",
  ) {
    super({ status: 410, type: "resync_required", translationKey: "api_error_resync_required" }, message)
  }
}

/** 405: the path exists, the method does not. `allow` goes into the Allow header. */
export class MethodNotAllowed extends Problem {
  constructor(readonly allow: readonly string[]) {
    const kind = { status: 405, type: "method_not_allowed", translationKey: "api_error_method_not_allowed" }
    super(kind, `This method is not supported here. Use ${allow.join(", ")}.`)
  }
}

/** 413: the body is larger than `limitBytes`, or the answer would be. */
export class TooLarge extends Problem {
  constructor(limitBytes: number, message = `The body is too large: at most ${limitBytes} bytes.`) {
    const kind = { status: 413, type: "too_large", translationKey: "api_error_too_large" }
    super(kind, message)
  }
}

/** 429: too many requests; `retryAfterSeconds` goes into the Retry-After header. */
export class RateLimited extends Problem {
  constructor(
    readonly retryAfterSeconds: number,
    message = `Too many requests. Try again in ${retryAfterSeconds} seconds.`,
  ) {
    const kind = { status: 429, type: "rate_limited", translationKey: "api_error_rate_limited" }
    super(kind, message, {}, { retryAfterSeconds })
  }
}

/** 503: the database or the storage cannot be reached. Nothing was changed; trying again is safe. */
export class Unavailable extends Problem {
  readonly retryAfterSeconds = 1
  constructor(message = "The service is currently not available. Try again shortly.") {
    super({ status: 503, type: "unavailable", translationKey: "api_error_unavailable" }, message)
  }
}

/** 424: a request of a batch refers to another one that was refused. */
export class FailedDependency extends Problem {
  constructor(request: string) {
    const kind = { status: 424, type: "failed_dependency", translationKey: "api_error_failed_dependency" }
    super(kind, `This was not run, because it refers to the request ${request}, which was refused.`)
  }
}

/** 500: a fault of ours. It says nothing of the cause, which is in the log under the request id. */
export class ServerError extends Problem {
  constructor(message = "An internal error occurred. The request id identifies it in the log.") {
    super({ status: 500, type: "server_error", translationKey: "api_error_unknown" }, message)
  }
}

const currentIn = (current: Current | undefined): Record<string, unknown> =>
  current === undefined ? {} : { current: current.value }

const sentence = (violations: Violations): string =>
  Object.entries(violations)
    .map(([field, texts]) => `${field} ${texts.join(" and ")}`)
    .join("; ")

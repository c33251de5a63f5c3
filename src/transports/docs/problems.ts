import {
  AnswerNotStored,
  BadRequest,
  ClosedParent,
  FailedDependency,
  Forbidden,
  InsufficientScope,
  InvalidFields,
  KeyReused,
  MethodNotAllowed,
  MissingParameter,
  NotFound,
  type Problem,
  RateLimited,
  RefusedInWords,
  ResyncRequired,
  RevisionConflict,
  ServerError,
  TooLarge,
  Unauthorized,
  Unavailable,
} from "../../errors.js"
import { Scope } from "../../scalars/scope.js"
import { errorBody } from "../rest/error-body.js"

/** An error as it is documented: a sample, and when it occurs. */
export type Sample = { readonly problem: Problem; readonly when: string }

const BODY_LIMIT_BYTES = 1_048_576

/** One sample of every error that a client may see, by the name of its class. */
export const samples = {
  Unauthorized: {
    problem: new Unauthorized(),
    when: "A header is missing, or the client ID or token is unknown, revoked or belongs to another client.",
  },
  MissingParameter: {
    problem: new MissingParameter({ title: ["required"] }),
    when: "A parameter is missing or has the wrong JSON type.",
  },
  BadRequest: {
    problem: new BadRequest("The body is not valid JSON."),
    when: "The request cannot be read: invalid JSON, an unsupported content type, a repeated parameter.",
  },
  UnsupportedEncoding: {
    problem: new BadRequest("Send the body as it is: no Content-Encoding is supported.", {}, 415),
    when: "The body is compressed.",
  },
  RefusedInWords: {
    problem: new RefusedInWords(["bad request"]),
    when: "The request cannot be executed in the current state.",
  },
  InvalidFields: {
    problem: new InvalidFields({ title: ["must have 1 to 255 characters"] }),
    when: "A value has the right type but exceeds a limit, or contradicts another value.",
  },
  NotFound: { problem: new NotFound(), when: "The object does not exist, or you cannot see it." },
  ClosedParent: {
    problem: new ClosedParent(),
    when: "The list or task to add to does not exist, or you have no access to it.",
  },
  Forbidden: {
    problem: new Forbidden("Only its owner can delete a list, and an inbox can't be deleted."),
    when: "You can see the object, but may not change it in this way.",
  },
  InsufficientScope: {
    problem: new InsufficientScope([Scope.write]),
    when: "The token lacks a scope that the request needs.",
  },
  RevisionConflict: {
    problem: new RevisionConflict({
      value: { id: "51", taskId: "345", content: "Two litres", revision: 5, __typename: "Note" },
      asRest: () => '{"id":51,"task_id":345,"content":"Two litres","revision":5,"type":"note"}',
    }),
    when: "The revision is stale. `current` is what is stored.",
  },
  KeyReused: { problem: new KeyReused(), when: "The `Idempotency-Key` was used with another body." },
  AnswerNotStored: {
    problem: new AnswerNotStored(),
    when: "The request with this key was executed, and its response is not stored: it contained a secret or was very large.",
  },
  ResyncRequired: {
    problem: new ResyncRequired(),
    when: "What lies behind the cursor is no longer stored, or never was.",
  },
  MethodNotAllowed: {
    problem: new MethodNotAllowed(["GET", "HEAD", "OPTIONS"]),
    when: "The path exists, but does not support the method.",
  },
  TooLarge: {
    problem: new TooLarge(BODY_LIMIT_BYTES),
    when: "The body is larger than 1 MiB, or the response would be larger than 32 MiB.",
  },
  RateLimited: {
    problem: new RateLimited(27),
    when: "Too many requests, or too much unread data. Wait as long as `Retry-After` says.",
  },
  FailedDependency: {
    problem: new FailedDependency("a"),
    when: "In a batch: it refers to another request, which was refused.",
  },
  ServerError: { problem: new ServerError(), when: "An internal error. The service's log has the request id." },
  Unavailable: {
    problem: new Unavailable(),
    when: "The database or the storage cannot be reached. Nothing was changed; try again.",
  },
} satisfies Readonly<Record<string, Sample>>

/** The name of an error in {@link samples}. */
export type ProblemName = keyof typeof samples

/** The body that REST sends for a sample. */
export const exampleBody = (name: ProblemName): Record<string, unknown> =>
  JSON.parse(errorBody(samples[name].problem)) as Record<string, unknown>

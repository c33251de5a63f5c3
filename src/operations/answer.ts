import type { Context, Viewer } from "../context.js"
import { BadRequest, Unauthorized } from "../errors.js"
import type { Log } from "../log.js"
import { type Repeat, runOnce } from "./answer-once.js"
import { type Answer, answerOf, answerOfFailure } from "./format-error.js"
import type { Operation } from "./operations.js"
import type { Values } from "./variables.js"

/** The context of a request over HTTP, whose sender may be unknown. */
export type RequestContext = Omit<Context, "viewer"> & { readonly viewer: Viewer | undefined }

/** The caller, and the request id that the log has. */
export type Asking = {
  readonly context: RequestContext
  readonly requestId: string
  readonly repeat: Repeat
  /** Counts root fields beside the one that each request counts as. @throws RateLimited */
  count(rootFields: number): void | Promise<void>
  /** Called when something may have been committed. */
  onWrite(): void
}

/** Runs an operation for a request over HTTP. Without a viewer only introspection is answered. Never rejects. */
export async function answer(
  { context, requestId, repeat, count, onWrite }: Asking,
  log: Log,
  prepare: () => Operation,
  variables: Readonly<Values> | null | undefined,
): Promise<Answer> {
  try {
    const operation = prepare()
    if (context.viewer === undefined && !operation.isIntrospection) throw new Unauthorized()
    if (operation.node.operation === "subscription")
      throw new BadRequest(
        "Subscriptions are available over WebSocket, with the protocol graphql-transport-ws, and as server-sent events with Accept: text/event-stream.",
      )
    if (operation.rootFields > 1) await count(operation.rootFields - 1)
    const result = await runOnce(operation, repeat, context as Context, variables)
    if (operation.node.operation === "mutation") onWrite()
    return answerOf(result, log, requestId)
  } catch (error) {
    return answerOfFailure(error, log, requestId)
  }
}

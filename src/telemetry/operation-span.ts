import type { ExecutionResult } from "graphql"
import type { Runnable } from "./runnable.js"
import { failed, SpanKind, type Trace } from "./trace.js"

const MAX_NAME_LENGTH = 100

/**
 * A span for each run of an operation: below its request, or the first of a trace where it came over a socket. Our own, which rows
 * of REST run, are named by their field. Events that are shown to subscribers are not traced: there are thousands a second.
 */
export const operationSpans =
  (trace: Trace) =>
  <Operation extends Runnable>(operation: Operation, isOurs: boolean): Operation => {
    const { operation: type, name, selectionSet } = operation.node
    if (type === "subscription") return operation
    const [field] = selectionSet.selections
    const ofField = field?.kind === "Field" ? field.name.value : "(fragment)"
    const shown = isOurs ? ofField : (name?.value.slice(0, MAX_NAME_LENGTH) ?? "(anonymous)")
    const attributes = { "graphql.operation.type": type, "graphql.operation.name": shown }
    return {
      ...operation,
      run(context, variables, root) {
        const parent = trace.current()
        if (parent === undefined && isOurs) return operation.run(context, variables, root)
        const kind = parent === undefined ? SpanKind.SERVER : SpanKind.INTERNAL
        const span = trace.start(`${type} ${shown}`, kind, attributes, parent)
        const { requestId } = context as { requestId?: string }
        if (parent === undefined && requestId !== undefined) trace.remember(requestId, span)
        const settle = (result: ExecutionResult): ExecutionResult => {
          const [error] = result.errors ?? []
          if (error !== undefined) failed(span, error.extensions?.code ?? error)
          if (typeof error?.extensions?.code === "string") span.setAttribute("error.type", error.extensions.code)
          span.end()
          return result
        }
        const result = trace.within(span, () => operation.run(context, variables, root))
        return result instanceof Promise ? result.then(settle) : settle(result)
      },
    }
  }

import type { ExecutionResult, OperationDefinitionNode } from "graphql"

/** What meters and spans need to know of an operation to stand around its runs. */
export type Runnable = {
  readonly node: OperationDefinitionNode
  run(
    context: unknown,
    variables?: Readonly<Record<string, unknown>> | null,
    root?: unknown,
  ): ExecutionResult | Promise<ExecutionResult>
}

import { randomUUID } from "node:crypto"
import type { ExecutionResult, GraphQLSchema } from "graphql"
import type { Context, Viewer } from "../context.js"
import type { Log } from "../log.js"
import { answerOf, answerOfFailure } from "../operations/format-error.js"
import type { Operation, SentVariables } from "../operations/operation.js"
import { planOf } from "./subscription-plan.js"

/** What subscribers with the same operation have in common: each event is executed and written once for all of them. */
export type SharedExecution = {
  /** The answer for an event as JSON text; at once where nothing has to be looked up. Never rejects. */
  payloadOf(event: object): string | Promise<string>
  /** This subscriber is gone. */
  leave(): void
}

/** All shared executions of a node. */
export type SharedExecutions = {
  /** Joins subscribers that get the same answer to every event: same operation, same variables and same viewer where these matter. */
  join(operation: Operation, variables: SentVariables, viewer: Viewer): SharedExecution
  /** How many there are. */
  size(): number
}

type Parts = { schema: GraphQLSchema; contextOf(viewer: Viewer, requestId: string): Context; log: Log }
type Execution = { payloadOf: SharedExecution["payloadOf"]; subscribers: number }

/** Makes the place where subscribers find each other. */
export function createSharedExecutions({ schema, contextOf, log }: Parts): SharedExecutions {
  const executions = new Map<Operation, Map<string, Execution>>()

  function execution(operation: Operation, variables: SentVariables, viewer: Viewer): Execution {
    const requestId = randomUUID()
    const payloads = new WeakMap<object, string | Promise<string>>()
    const written = (result: ExecutionResult): string => {
      const { errors, data } = answerOf(result, log, requestId).result
      return JSON.stringify({ errors, data })
    }
    const failed = (error: unknown): string => JSON.stringify(answerOfFailure(error, log, requestId).result)

    function run(event: object): string | Promise<string> {
      const context = contextOf(viewer, requestId)
      const { release } = context.held
      try {
        const result = operation.run(context, variables, event)
        if (result instanceof Promise) return result.then(written).catch(failed).finally(release)
        const payload = written(result)
        release()
        return payload
      } catch (error) {
        release()
        return failed(error)
      }
    }

    return {
      subscribers: 0,
      payloadOf(event) {
        const known = payloads.get(event)
        if (known !== undefined) return known
        const payload = run(event)
        payloads.set(event, payload)
        return payload
      },
    }
  }

  return {
    join(operation, variables, viewer) {
      const plan = planOf(schema, operation)
      const values = plan.variables.map((name) => variables?.[name])
      const key = JSON.stringify([plan.isPersonal ? viewer.tokenId : null, values])
      const ofOperation = executions.get(operation) ?? new Map<string, Execution>()
      const shared = ofOperation.get(key) ?? execution(operation, variables, viewer)
      shared.subscribers++
      executions.set(operation, ofOperation.set(key, shared))
      let hasLeft = false
      return {
        payloadOf: shared.payloadOf,
        leave() {
          if (hasLeft) return
          hasLeft = true
          if (--shared.subscribers === 0) ofOperation.delete(key)
          if (ofOperation.size === 0) executions.delete(operation)
        },
      }
    },
    size: () => [...executions.values()].reduce((count, { size }) => count + size, 0),
  }
}

import type { GraphQLSchema } from "graphql"
import type { Context, Viewer } from "../context.js"
import type { Log } from "../log.js"
import { asGraphQLError, visibleError } from "../operations/format-error.js"
import type { Operation, SentVariables } from "../operations/operation.js"
import type { Values } from "../operations/variables.js"
import type { Live, OpenStream } from "./live.js"
import { createSharedExecutions } from "./shared-execution.js"
import { type Carrier, createSubscriber, type Subscriber } from "./subscriber.js"
import { planOf } from "./subscription-plan.js"

/** What carries subscriptions: graphql-ws over a socket, server-sent events. */
export type Protocol = "graphql" | "sse"

/** What a client subscribes to: an operation that does not refuse its variables. */
export type Subscribing = {
  readonly viewer: Viewer
  readonly operation: Operation
  readonly variables: SentVariables
  readonly requestId: string
  readonly protocol: Protocol
  /** The arguments of the field, where they are not those that the operation says. */
  readonly args?: Values
}

/** The subscriptions of a node, whatever carries them. */
export type Subscriptions = {
  /** Opens one; its answers go to `carrier`. `onEnd` is called once, however it ends. */
  open(subscribing: Subscribing, carrier: Carrier, onEnd: () => void): Subscriber
  /** For metrics: how many there are, by what carries them, and how many executions they share. */
  status(): {
    readonly subscribers: number
    readonly subscribersBy: Readonly<Record<Protocol, number>>
    readonly executions: number
  }
}

type Parts = {
  schema: GraphQLSchema
  live: Pick<Live, "streams">
  contextOf(viewer: Viewer, requestId: string): Context
  log: Log
}

/** Makes the place where the subscriptions of all carriers are opened, so that they share executions and obey the same limits. */
export function createSubscriptions({ schema, live, contextOf, log }: Parts): Subscriptions {
  const executions = createSharedExecutions({ schema, contextOf, log })
  const open = { graphql: 0, sse: 0 }
  return {
    open({ viewer, operation, variables, requestId, protocol, args }, carrier, onEnd) {
      const { field } = planOf(schema, operation)
      const subscriber = createSubscriber({
        carrier,
        hold: () => contextOf(viewer, requestId).held,
        execution: executions.join(operation, variables, viewer),
        onEnd() {
          open[protocol]--
          stream.stop()
          onEnd()
        },
      })
      open[protocol]++
      const { receiver } = subscriber
      const stream = (live.streams[field] as OpenStream)(viewer, args ?? operation.roots(variables)[0]?.args ?? {}, {
        ...receiver,
        fail: (error) => receiver.fail(visibleError(asGraphQLError(error), log, requestId)),
      })
      return subscriber
    },
    status: () => ({ subscribers: open.graphql + open.sse, subscribersBy: open, executions: executions.size() }),
  }
}

import type { ServerResponse } from "node:http"
import type { Request } from "express"
import type { Config } from "../config/config.js"
import type { Viewer } from "../context.js"
import { RateLimited } from "../errors.js"
import type { Log } from "../log.js"
import type { Runner } from "../statement.js"
import type { Meters } from "../telemetry/meters.js"
import { createBudget, type Decision, type Policy } from "./budget.js"
import { networkOf } from "./network.js"
import { postgresStore } from "./postgres-store.js"

/** What the transports ask before they answer. Each answers at once when nothing has to be asked of others. */
export type RateLimit = {
  /**
   * Counts a request over HTTP, says on its answer how the budget stands. `count`: what it asks for, 1 when left out.
   * @throws RateLimited, also as a rejection
   */
  ofRequest(
    transport: "rest" | "graphql" | "page" | "calendar",
    viewer: Pick<Viewer, "userId"> | undefined,
    request: Request,
    response: ServerResponse,
    count?: number,
  ): void | Promise<void>
  /** Counts the root fields of an operation over a socket. @throws RateLimited, also as a rejection */
  ofOperation(viewer: Viewer, count: number): void | Promise<void>
  stop(): Promise<void>
}

type Parts = {
  readonly config: Pick<Config, "rateLimit" | "redisUrl">
  readonly db: Runner
  readonly log: Log
  readonly meters: Pick<Meters, "limited">
}

/**
 * One budget for each user, over all transports, tokens, applications and nodes; strangers share that of their network. What
 * comes over the SDK's socket is counted as the requests that it is, a GraphQL operation as its root fields. Undefined when RATE_LIMIT is unset: then nothing is asked.
 * The headers are those of the IETF's draft: RateLimit-Policy and RateLimit.
 */
export async function openRateLimit({ config, db, log, meters }: Parts): Promise<RateLimit | undefined> {
  const policy = config.rateLimit
  if (policy === undefined) return undefined
  const store =
    config.redisUrl === undefined
      ? postgresStore(db, policy)
      : (await import("./redis-store.js")).redisStore(config.redisUrl, policy)
  const budget = createBudget(policy, store, log)
  const keyOf = (viewer: Pick<Viewer, "userId"> | undefined, address: string | undefined) =>
    viewer === undefined ? `network ${networkOf(address)}` : `user ${viewer.userId}`

  function hold(decision: Decision, transport: Parameters<Meters["limited"]>[0], response?: ServerResponse): void {
    if (decision === undefined) return
    const { isOver, left, resetInSeconds } = decision
    response?.setHeader("RateLimit-Policy", policyHeader(policy as Policy))
    response?.setHeader("RateLimit", `"default";r=${left};t=${resetInSeconds}`)
    if (!isOver) return
    meters.limited(transport)
    throw new RateLimited(resetInSeconds)
  }

  return {
    ofRequest(transport, viewer, request, response, count) {
      const decision = budget.take(keyOf(viewer, request.ip), count)
      if (decision instanceof Promise) return decision.then((settled) => hold(settled, transport, response))
      hold(decision, transport, response)
    },
    ofOperation(viewer, count) {
      const decision = budget.take(keyOf(viewer, undefined), count)
      if (decision instanceof Promise) return decision.then((settled) => hold(settled, "socket"))
      hold(decision, "socket")
    },
    stop: store.stop,
  }
}

const policyHeader = ({ limit, windowMs }: Policy): string => `"default";q=${limit};w=${windowMs / 1_000}`

import type { DatabaseClient } from "../../database/client.js"
import type { Cursors } from "../../events/cursor.js"
import type { ChangeEvent } from "../../events/event.js"
import type { PubSub } from "../../events/pub-sub.js"
import type { Log } from "../../log.js"
import { startLoop } from "../../loop.js"
import { agentsBeyond, type Resolve, resolveName } from "../../outbound/connect.js"
import type { EgressPolicy } from "../../outbound/egress-policy.js"
import type { Id } from "../../statement.js"
import type { TraceAttempt } from "../../telemetry/span-of-delivery.js"
import { SCHEDULE_MS } from "./backoff.js"
import { deliver, isLeaseFresh, type Means } from "./deliver.js"
import { type Claimed, claimDue, type Disabled, lockClaims, nextDue } from "./delivery.statements.js"
import { deleteOldDeliveries } from "./delivery-retention.js"

// A delivery, a row, is in one of four states:
//
//   pending    due at `due_at`
//     → leased      a node that has a place for it takes it, for `leaseMs`
//     → failed      its webhook is disabled
//   leased     one attempt is under way, by the node that has the lease
//     → delivered   an answer of 2xx
//     → pending     another answer or none: due later (backoff.ts), or as Retry-After says; or the node stops and gives it back;
//                   or the lease has ended with its node
//     → failed      no attempt is left, an answer of 410, or the webhook is disabled; nor is one left of a delivery older than an
//                   hour when its leases have ended with their nodes as often as there are attempts
//   delivered, failed   kept for a while, then deleted (delivery-retention.ts)
//     → pending     somebody asks to send it again

/** Attempts of one node at the same time. Endpoints that fail, are slow or are new have places of their own, so that they never
 *  take those of endpoints that answer soon. */
const PLACES = 192
const PLACES_OF_OTHERS = 64
const PROMPT_MS = 1_000
/** So many deliveries an endpoint gets one after the other; then others that wait have their turn. */
const IN_A_ROW = 20
/** How long after its start an attempt has ended for sure. */
const ATTEMPT_MARGIN_MS = 1_000
const MIN_PAUSE_MS = 5
const MAX_PAUSE_MS = 1_000
const HOUR_MS = 3_600_000
/** Attempts in flight have so long to end when the node stops. */
const DRAIN_MS = 5_000

/** What a test sets otherwise; unset it is as the contract says. */
export type DeliverySettings = {
  readonly schedule?: readonly number[]
  readonly timeoutMs?: number
  /** Longer than an attempt can take: when it ends, the worker that made the attempt is dead. */
  readonly leaseMs?: number
  readonly drainMs?: number
  /** Longer than that an answer is slow. */
  readonly promptMs?: number
  readonly resolve?: Resolve
  readonly now?: () => Date
  readonly random?: () => number
}

type Parts = {
  readonly db: Pick<DatabaseClient, "run" | "transaction">
  readonly pubSub: PubSub<ChangeEvent>
  readonly cursors: Cursors
  readonly log: Log
  readonly egress: EgressPolicy
  readonly traceAttempt?: TraceAttempt | undefined
  /** Told of each attempt, for metrics: the status of the answer, undefined when there was none. */
  onAttempt?(status: number | undefined, ms: number): void
  /** Called once when a webhook is disabled, to tell its maker. */
  onDisabled(webhook: Disabled): void
}

/** Delivers to webhooks for as long as it runs. */
export type WebhookDelivery = {
  /** Looks for what is due now instead of within a second. */
  wake(): void
  /** Takes nothing more, lets what is in flight end, gives back what does not end in time. */
  stop(): Promise<void>
}

type DeliveryAttempt = {
  readonly webhookId: Id
  readonly isPrompt: boolean
  readonly ended: Promise<void>
  abort(): void
}

/** Starts delivering: whatever is due, wherever in the cluster it was written. Any number of nodes may do it. (§9 Webhooks) */
export function startWebhookDelivery(
  { db, pubSub, cursors, log, egress, traceAttempt, onAttempt = () => {}, onDisabled }: Parts,
  {
    schedule = SCHEDULE_MS,
    timeoutMs = 15_000,
    leaseMs = 30_000,
    drainMs = DRAIN_MS,
    promptMs = PROMPT_MS,
    resolve = resolveName,
    now = () => new Date(),
    random = Math.random,
  }: DeliverySettings = {},
): WebhookDelivery {
  const agents = agentsBeyond(egress, resolve)
  const means: Means = {
    db,
    log,
    cursors,
    agents,
    schedule,
    timeoutMs,
    leaseMs,
    promptMs,
    now,
    random,
    traceAttempt,
    onAttempt,
    onDisabled,
  }
  const running = new Set<DeliveryAttempt>()
  let isStopping = false
  let sweptAt = Number.NEGATIVE_INFINITY

  function hear({ subjectType, operation, subjectId }: ChangeEvent): void {
    if (subjectType === "access_token") return
    // What is under way to a webhook that is gone ends at once.
    if (subjectType === "webhook" && operation === "DELETE")
      for (const attempt of running) if (attempt.webhookId === subjectId) attempt.abort()
    loop.wake()
  }

  function claim(): Promise<Claimed[]> {
    let prompt = 0
    for (const { isPrompt } of running) if (isPrompt) prompt++
    const limits = [
      PLACES - prompt,
      PLACES_OF_OTHERS - (running.size - prompt),
      leaseMs,
      timeoutMs + ATTEMPT_MARGIN_MS,
      PLACES,
      PLACES_OF_OTHERS,
    ]
    return db.transaction(async ({ run }) => {
      await run(lockClaims, [])
      return run(claimDue, limits)
    })
  }

  function launch(first: Claimed): void {
    const { webhookId, isPrompt } = first
    let control = new AbortController()

    async function attemptInTurn(): Promise<void> {
      let delivery: Claimed | undefined = first
      for (let left = IN_A_ROW; delivery !== undefined; left--) {
        control = new AbortController()
        delivery = await deliver(means, delivery, control, () => left > 1 && !isStopping)
      }
    }

    const ended = attemptInTurn()
      .catch((error) => log.warn({ err: error, webhook: webhookId }, "the outcome of a delivery could not be written"))
      .finally(() => {
        running.delete(attempt)
        loop.wake()
      })
    const attempt: DeliveryAttempt = { webhookId, isPrompt, ended, abort: () => control.abort() }
    running.add(attempt)
  }

  /** Gives how long to wait if nothing else happens. */
  async function step(): Promise<number> {
    if (performance.now() - sweptAt > HOUR_MS) {
      sweptAt = performance.now()
      await deleteOldDeliveries(db)
    }
    const [dueInMs = MAX_PAUSE_MS] = await db.run(nextDue, [])
    if (dueInMs > 0) return Math.min(dueInMs, MAX_PAUSE_MS)
    const askedAt = performance.now()
    const deliveries = await claim()
    // Others may have taken over what a node leased that then stood still.
    if (isLeaseFresh(askedAt, means)) for (const delivery of deliveries) launch(delivery)
    return MAX_PAUSE_MS
  }

  const loop = startLoop({
    what: "webhooks are delivered",
    log,
    pauses: { leastMs: MIN_PAUSE_MS, leastAfterFailureMs: MAX_PAUSE_MS, mostAfterFailureMs: MAX_PAUSE_MS },
    round: step,
  })
  pubSub.listen("*", hear)
  return {
    wake: loop.wake,
    async stop() {
      isStopping = true
      await loop.stop()
      const deadline = setTimeout(() => {
        for (const attempt of running) attempt.abort()
      }, drainMs)
      await Promise.all([...running].map(({ ended }) => ended))
      clearTimeout(deadline)
      pubSub.forget("*", hear)
      agents.destroy()
    },
  }
}

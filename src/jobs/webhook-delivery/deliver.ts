import { setTimeout as sleep } from "node:timers/promises"
import { Unavailable } from "../../errors.js"
import type { Cursors } from "../../events/cursor.js"
import type { Event } from "../../events/event.type.js"
import { type Log, messageOf } from "../../log.js"
import type { Agents } from "../../outbound/connect.js"
import { type PostResponse, post } from "../../outbound/post.js"
import type { Runner, Statement, Value } from "../../statement.js"
import type { TraceAttempt } from "../../telemetry/span-of-delivery.js"
import { pauseAfter, retryAfterMs } from "./backoff.js"
import { cursorOf } from "./cursor-of.js"
import {
  type Claimed,
  type Disabled,
  disableEndpoint,
  dropWaiting,
  releaseLease,
  settleDelivered,
  settleFailed,
} from "./delivery.statements.js"
import { payloadOf } from "./payload.js"
import { signatureHeaders } from "./signature.js"

const GONE = 410
/** So long an outcome is kept for a database that does not answer; then the lease ends and the attempt is made again. */
const WRITE_PATIENCE_MS = 10_000
const WRITE_PAUSE_MS = 250

const TIMED_OUT = Symbol("timed out")

/** What attempts are made with. */
export type Means = {
  readonly db: Runner
  readonly log: Log
  readonly agents: Agents
  /** The pause before each attempt in ms; as many attempts as there are pauses. */
  readonly schedule: readonly number[]
  readonly timeoutMs: number
  readonly leaseMs: number
  /** An endpoint that takes longer is as bad for others as one that fails. */
  readonly promptMs: number
  now(): Date
  /** 0 to 1. */
  random(): number
  readonly cursors: Cursors
  /** Undefined where nothing is traced. */
  readonly traceAttempt: TraceAttempt | undefined
  /** Told of each attempt, for metrics: the status of the answer, undefined when there was none. */
  onAttempt(status: number | undefined, ms: number): void
  /** Called once when an endpoint is given up, on the node that found it. */
  onDisabled(webhook: Disabled): void
}

/** What came of an attempt: an answer, or why there is none. */
type Outcome = { readonly latencyMs: number } & ({ readonly answer: PostResponse } | { readonly fault: string })

/**
 * Makes one attempt and writes down what came of it. Aborting `control` gives it up: the delivery is due again at once, for
 * whichever node.
 * @returns after a prompt success, and if `mayGoOn` says so, what is due next at the same endpoint, leased
 * @throws what the database throws when the outcome cannot be written; the attempt is made again when the lease ends
 */
export async function deliver(
  means: Means,
  delivery: Claimed,
  control: AbortController,
  mayGoOn: () => boolean,
): Promise<Claimed | undefined> {
  const { log, leaseMs } = means
  const { id, lease, webhookId, attempts } = delivery
  const fault = faultBefore(means, delivery)
  if (fault !== undefined) {
    log.debug({ delivery: id, webhook: webhookId, fault }, "ended a delivery that cannot be attempted")
    return void (await write(means, settleFailed, [
      id,
      lease,
      undefined,
      undefined,
      fault,
      undefined,
      undefined,
      false,
    ]))
  }
  const outcome = await attempt(means, delivery, control)
  if (outcome === undefined) return void (await write(means, releaseLease, [id, lease]))
  const { latencyMs } = outcome
  const status = "answer" in outcome ? outcome.answer.status : undefined
  log.debug({ delivery: id, webhook: webhookId, attempt: attempts, status, latencyMs }, "attempted a delivery")
  means.onAttempt(status, latencyMs)
  if (status === undefined || status < 200 || status > 299) return void (await settleFailure(means, delivery, outcome))
  const askedAt = performance.now()
  const isPrompt = latencyMs <= means.promptMs
  const values = [id, lease, status, latencyMs, isPrompt && mayGoOn(), leaseMs, isPrompt]
  const [next] = await write(means, settleDelivered, values)
  return isLeaseFresh(askedAt, means) ? next : undefined
}

/** Whether there is time for an attempt under a lease that was asked for at `askedAt`: a node may have stood still since. */
export const isLeaseFresh = (askedAt: number, { leaseMs, timeoutMs }: Pick<Means, "leaseMs" | "timeoutMs">): boolean =>
  performance.now() - askedAt < (leaseMs - timeoutMs) / 2

async function settleFailure(means: Means, delivery: Claimed, outcome: Outcome): Promise<void> {
  const { id, lease, webhookId, attempts } = delivery
  const { status, retryAfter } = "answer" in outcome ? outcome.answer : {}
  const fault = "fault" in outcome ? outcome.fault : faultOf(outcome.answer.status)
  const asked = retryAfterMs(retryAfter, means.now())
  const pause = pauseAfter(attempts, means.schedule, means.random())
  const next = pause === undefined ? undefined : Math.max(pause, asked ?? 0)
  const [isLost] = await write(means, settleFailed, [id, lease, status, outcome.latencyMs, fault, next, asked, true])
  if (status !== GONE && !isLost) return
  const [disabled] = await write(means, disableEndpoint, [webhookId])
  await write(means, dropWaiting, [webhookId])
  if (disabled !== undefined) means.onDisabled(disabled)
}

/** Why nothing is to be sent: the delivery has ended every node that attempted it, or there is nothing to tell. */
function faultBefore({ schedule }: Means, { losses, event }: Claimed): string | undefined {
  if (losses >= schedule.length) return "no node has lived to see what came of it"
  return event === undefined ? "the log of events does not hold it any more" : undefined
}

/** Undefined when it was given up. */
async function attempt(means: Means, delivery: Claimed, control: AbortController): Promise<Outcome | undefined> {
  const { webhookId, url, configuration } = delivery
  const event = delivery.event as Event
  const body = payloadOf(event, { webhookId, configuration, cursor: cursorOf(means.cursors, delivery, event) })
  const span = means.traceAttempt?.(delivery)
  const headers = {
    ...span?.headers,
    "Content-Type": "application/json",
    "User-Agent": "Tandem-Webhooks/1",
    ...signatureHeaders(delivery, `msg_${delivery.id}`, means.now(), body),
  }
  const { signal } = control
  const timer = setTimeout(() => control.abort(TIMED_OUT), means.timeoutMs)
  const startedAt = performance.now()
  const latencyMs = () => Math.round(performance.now() - startedAt)
  let status: number | undefined
  try {
    const answer = await post(means.agents, { url, headers, body, signal })
    status = answer.status
    return { latencyMs: latencyMs(), answer }
  } catch (error) {
    if (signal.aborted && signal.reason !== TIMED_OUT) return undefined
    const fault = signal.aborted ? `no answer within ${means.timeoutMs / 1_000} s` : messageOf(error as Error)
    return { latencyMs: latencyMs(), fault: fault.slice(0, 255) }
  } finally {
    clearTimeout(timer)
    span?.end(status)
  }
}

async function write<Row>({ db }: Means, statement: Statement<Row>, values: readonly Value[]): Promise<Row[]> {
  const deadline = performance.now() + WRITE_PATIENCE_MS
  for (;;) {
    try {
      return await db.run(statement, values)
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() > deadline) throw error
      await sleep(WRITE_PAUSE_MS)
    }
  }
}

const faultOf = (status: number): string =>
  status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`

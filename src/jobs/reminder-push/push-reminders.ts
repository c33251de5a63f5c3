import type { Transacted } from "../../context.js"
import type { Log } from "../../log.js"
import { type Loop, startLoop } from "../../loop.js"
import { agentsBeyond, InsideAddress, resolveName } from "../../outbound/connect.js"
import type { EgressPolicy } from "../../outbound/egress-policy.js"
import { type PostResponse, post } from "../../outbound/post.js"
import type { PushOutcome } from "../../telemetry/meters.js"
import { postponePush, subscriptionOf, type TakenPush, takePushes } from "./push.statements.js"
import {
  loadEncryption,
  messageOf,
  type PushMessage,
  type VapidDetails,
  WORTH_TELLING_SECONDS,
} from "./push-message.js"

const IN_FLIGHT = 50
/** Shorter than the lease of a push, so that no two nodes send one at the same time. */
const ATTEMPT_TIMEOUT_MS = 10_000
/** Between attempts, while a push service does not answer well. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_200_000]
const MAX_PAUSE_MS = 1_200_000
const DRAIN_MS = 2_000
const LOAD_AFTER_MS = 1_000

type Parts = {
  readonly db: Pick<Transacted, "run" | "prisma">
  readonly log: Log
  /** Which addresses push services may have: browsers name them, so they are not to be trusted. */
  readonly egress: EgressPolicy
  readonly vapid: VapidDetails
  /** Told of each attempt, for metrics. */
  readonly onPushed?: (outcome: PushOutcome) => void
  /** A test waits less. */
  readonly pausesMs?: readonly number[]
}

/**
 * Sends what has fallen due to devices by Web Push, from any node. What does not arrive is tried again within the hour; a device
 * that its push service no longer knows is removed. (§9 Reminder push)
 */
export function startReminderPush({ db, log, egress, vapid, onPushed = () => {}, pausesMs = PAUSES_MS }: Parts): Loop {
  const agents = agentsBeyond(egress, resolveName)
  const running = new Map<Promise<void>, AbortController>()
  // A push that waits for its next attempt wakes nobody.
  const lookEveryMs = Math.min(...pausesMs)

  const end = ({ id }: TakenPush) => db.prisma.push.deleteMany({ where: { id: BigInt(id) } })

  async function giveUp(push: TakenPush, why: object): Promise<void> {
    log.warn({ device: push.deviceId, ...why }, "a reminder could not be pushed to a device")
    onPushed("given_up")
    await end(push)
  }

  async function tryLater(push: TakenPush, why: object, retryAfter?: string): Promise<void> {
    const pause = pausesMs[push.attempts - 1]
    if (pause === undefined || push.ageSeconds > WORTH_TELLING_SECONDS) return giveUp(push, why)
    const asked = /^\d{1,9}$/.test(retryAfter ?? "") ? Number(retryAfter) * 1_000 : 0
    onPushed("later")
    await db.run(postponePush, [push.id, Math.max(pause, Math.min(asked, MAX_PAUSE_MS))])
  }

  async function settle(push: TakenPush, { status, retryAfter }: PostResponse): Promise<void> {
    if (status >= 200 && status < 300) {
      onPushed("sent")
      await end(push)
    } else if (status === 404 || status === 410) {
      onPushed("gone")
      // Not one that has registered anew meanwhile.
      const subscription = { equals: subscriptionOf(push) }
      await db.prisma.device.deleteMany({ where: { id: BigInt(push.deviceId), subscription } })
      await end(push)
      log.info({ device: push.deviceId, status }, "a device is gone and was removed")
    } else if (status === 429 || status >= 500) await tryLater(push, { status }, retryAfter)
    else await giveUp(push, { status })
  }

  async function send(push: TakenPush, signal: AbortSignal): Promise<void> {
    if (push.due === undefined) return void (await end(push))
    let message: PushMessage
    try {
      message = await messageOf(push, push.due, vapid)
    } catch (error) {
      return giveUp(push, { err: error })
    }
    let answer: PostResponse
    try {
      answer = await post(agents, {
        ...message,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]),
      })
    } catch (error) {
      return error instanceof InsideAddress ? giveUp(push, { err: error }) : tryLater(push, { err: error })
    }
    await settle(push, answer)
  }

  function launch(push: TakenPush): void {
    const control = new AbortController()
    const sending: Promise<void> = send(push, control.signal)
      .catch((error: unknown) => log.debug({ err: error }, "the outcome of a push could not be written"))
      .finally(() => {
        running.delete(sending)
        loop.wake()
      })
    running.set(sending, control)
  }

  const loop = startLoop({
    what: "reminders are pushed",
    log,
    async round() {
      const room = IN_FLIGHT - running.size
      if (room === 0) return lookEveryMs
      const pushes = await db.run(takePushes, [room])
      for (const push of pushes) launch(push)
      return lookEveryMs
    },
  })

  const loading = setTimeout(loadEncryption, LOAD_AFTER_MS)
  return {
    wake: loop.wake,
    async stop() {
      clearTimeout(loading)
      await loop.stop()
      const deadline = setTimeout(() => {
        for (const control of running.values()) control.abort()
      }, DRAIN_MS)
      await Promise.all(running.keys())
      clearTimeout(deadline)
      agents.destroy()
    },
  }
}

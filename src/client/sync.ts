import type { Status } from "./api.js"
import { type Flight, heldFor, newUuid, type Patch, type Step } from "./command.js"
import { type Ask, SignedOut, TryLater } from "./http.js"
import { backoffMs, createPause } from "./pause.js"
import { plan } from "./plan.js"
import { pull } from "./pull.js"
import { carriedOut, objectIn, recognised, refused, type StepAnswer } from "./settle.js"
import type { State } from "./state.js"

const FIRST_WAIT_MS = 1_000
/** Timers wait no longer. */
const FOREVER_MS = 2 ** 31 - 1
/** What nothing tells of, such as another name of a co-member, is asked for so often at least. */
const ASK_EVERY_MS = 300_000
/** How often the same may come to nothing before something else is done about it. */
const MAX_TIMES = 5
const MAX_STEPS = 100
/** Answers that say that nothing was carried out. */
const UNDONE: readonly unknown[] = [429, 500]

export type Sync = ReturnType<typeof startSync>

/**
 * Brings queue and service together, one thing at a time, so that nothing that is read is older than what was answered. First it
 * reads what has changed, then it sends the queue, one request after the other; then it waits until something happens.
 * @param kept resolves when the store has all of it, and this window may send
 * @param tell is told how it stands
 */
export function startSync(
  state: State,
  askService: Ask,
  commit: (patch: Patch) => void,
  kept: () => Promise<void>,
  tell: (status: Partial<Status>) => void,
) {
  const ask: Ask = (method, path, request) => askService(method, path, { ...request, signal: over.signal })
  const over = new AbortController()
  const pause = createPause()
  let isIdle = false
  let isNews = true
  let isWork = false
  /** Attempts in a row that failed. */
  let failures = 0
  /** How often in a row a request came to nothing that was answered. */
  let misses = 0
  let most = MAX_STEPS
  let plannedAt = 0
  /** Whether the request under way was sent before: then nobody knows what has become of it. */
  let isDoubtful = state.flight !== undefined

  /** Sends what comes next; false when nothing does. @throws TryLater, SignedOut */
  async function sendNext(): Promise<boolean> {
    if (isDoubtful && state.flight !== undefined) {
      const known = recognised(state, state.flight)
      if (known !== undefined) commit(known)
    }
    if (state.flight === undefined) {
      isDoubtful = false
      plannedAt = Date.now()
      const next = plan(state, plannedAt, most)
      if (next === undefined) return false
      if ("patch" in next) commit(next.patch)
      else commit({ entries: [["flight", { key: newUuid(), steps: next.steps } satisfies Flight]] })
      if (state.flight === undefined) return true
    }
    await kept()
    const flight = state.flight as Flight
    const isRepeated = isDoubtful
    isDoubtful = true
    try {
      await send(flight, isRepeated)
    } catch (error) {
      // The first attempt may still be under way at the service when a second one is told this.
      const isUndone =
        error instanceof TryLater && UNDONE.includes(error.status) && (!isRepeated || failures >= MAX_TIMES)
      if (!isUndone) throw error
      most = Math.max(1, Math.floor(flight.steps.length / 2))
      const [step, ...others] = flight.steps as [Step]
      // What breaks the service each time holds up everything else.
      if (error.status === 500 && others.length === 0 && ++misses >= MAX_TIMES)
        judge(step, { status: 500, body: { error: { message: error.message } } })
      else {
        land()
        throw error
      }
    }
    isDoubtful = false
    return true
  }

  async function send(flight: Flight, isRepeated: boolean): Promise<void> {
    const { key, steps } = flight
    const requests = steps.map(({ id, method, path, body }) => ({ id, method, path: `/api/v1${path}`, body }))
    const headers = { "Idempotency-Key": key, "X-Client-Request-Id": key }
    const { status, body } = await ask("POST", "/batch", { body: { atomic: true, requests }, headers })
    const answer = (body ?? {}) as { responses?: StepAnswer[]; request?: string; error?: { request?: string } }
    if (status < 300) {
      const { responses = [] } = answer
      const isAnswered = ({ method }: Step, index: number) =>
        method === "DELETE" || objectIn(responses[index] ?? { status })?.id !== undefined
      if (responses.length !== steps.length || !steps.every(isAnswered))
        throw new TryLater(`What answered ${status} is not the service.`)
      // What was answered long ago may have been overtaken: then it is what is read that counts.
      if (isRepeated) await pull(state, ask, commit)
      const { entries, ended = [] } = carriedOut(state, flight, responses)
      commit({ entries: entries.filter(([name]) => !isRepeated || !name.startsWith("object/")), ended })
      misses = 0
      return
    }
    if (isRepeated) {
      // What was carried out the first time can be refused now, as where it may not be seen any more.
      await pull(state, ask, commit)
      const known = recognised(state, flight)
      if (known !== undefined) return commit(known)
    }
    const blamed = steps.find(({ id }) => id === (answer.error?.request ?? answer.request))
    const [step] = blamed === undefined && steps.length > 1 ? [] : [blamed ?? steps[0]]
    if (step !== undefined) return judge(step, { status, body })
    most = Math.floor(steps.length / 2)
    land()
  }

  const land = () => commit({ entries: [["flight", undefined]] })
  /** Takes a refusal of one step. @throws TryLater when it is in conflict again and again */
  function judge(step: Step, answer: StepAnswer): void {
    const { again, entries, ended = [] } = refused(state, step, answer)
    commit({ entries: [...entries, ["flight", undefined]], ended })
    misses = again ? misses + 1 : 0
    if (again && entries.length === 0) isNews = true
    if (misses >= MAX_TIMES) throw new TryLater("The same is being changed all the time.")
  }

  async function work(): Promise<void> {
    for (let isMore = true; isMore && !over.signal.aborted; failures = 0) {
      if (isNews) {
        isNews = false
        await pull(state, ask, commit)
        await kept()
      }
      // Where what is sent fails, that something can be read does not count.
      tell({ isComplete: true, ...(failures === 0 && ONLINE) })
      isMore = await sendNext()
    }
    if (!over.signal.aborted) tell(ONLINE)
    most = MAX_STEPS
    misses = 0
  }

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      let ms = 0
      try {
        isWork = false
        await work()
        const holds = state.queue.flatMap((one) => (heldFor(one, plannedAt) > 0 ? heldFor(one, Date.now()) : []))
        ms = isWork ? 0 : Math.min(ASK_EVERY_MS, ...holds)
        isIdle = !isWork
      } catch (error) {
        isNews = true
        if (over.signal.aborted) return
        const isOut = error instanceof SignedOut
        const afterMs = error instanceof TryLater ? error.afterMs : 0
        ms = isOut ? FOREVER_MS : Math.max(afterMs, backoffMs(FIRST_WAIT_MS, failures++))
        tell(
          isOut
            ? { connection: "signed-out", retryAt: undefined }
            : { connection: "offline", retryAt: Date.now() + ms },
        )
      }
      if (ms > 0 && !over.signal.aborted) await pause.wait(ms)
      isIdle = false
    }
  }
  /** There is something to do, which waits where an attempt is waited for. */
  function workGiven(): void {
    isWork = true
    if (isIdle) pause.wake()
  }
  const ended = run()

  return {
    /** There is something to send. */
    commandGiven: workGiven,
    /** Something has happened at the service. */
    changed() {
      isNews = true
      workGiven()
    },
    /** Tries at once what waits for its next attempt: the network is back, or somebody looks. */
    tryNow: pause.wake,
    async stop() {
      over.abort()
      pause.wake()
      await ended
    },
  }
}

const ONLINE = { connection: "online", retryAt: undefined } as const

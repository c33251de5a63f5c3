import type { Status } from "./api.js"
import type { Entry, Flight, Patch, Step } from "./command.js"
import { heldFor, newUuid, objectEntry } from "./command.js"
import { type Ask, SignedOut, TryLater } from "./http.js"
import type { AnyObject, Kind } from "./kinds.js"
import { backoffMs, createPause } from "./pause.js"
import { plan } from "./plan.js"
import { carriedOut, LANDED, objectIn, recognised, refused, type StepAnswer } from "./settle.js"
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

/** A page of `GET /api/v1/changes`. */
type Page = {
  readonly changes: readonly { readonly type: Kind; readonly id: number; readonly data?: AnyObject }[]
  readonly cursor: string
  readonly has_more: boolean
  readonly full: boolean
}

const PAGE = 1_000
/** What the service answers when no changes follow on a cursor any more: it is too old, or of another history, or not its own. */
const START_AGAIN: readonly number[] = [400, 410]

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
  /** Until there is something to do. */
  const idle = createPause()
  /** Until the next attempt. */
  let retry = createPause()
  let isNews = true
  /** Attempts in a row that failed. */
  let failures = 0
  /** How often in a row a request came to nothing that was answered. */
  let misses = 0
  let most = MAX_STEPS
  let plannedAt = 0
  /** Whether the request under way was sent before: then nobody knows what has become of it. */
  let isDoubtful = state.flight !== undefined

  /**
   * Reads what has changed since the cursor, page by page; without a cursor, or where nothing follows on it any more, the whole
   * account. Of that nothing counts as gone before the last page; what shows nothing yet shows what has come so far. The queue is
   * left alone.
   */
  async function pull(): Promise<void> {
    let after = state.cursor
    /** Of the whole account: what has come so far, and what was there before. */
    let whole: { readonly entries: Entry[]; readonly before: readonly string[] } | undefined
    for (;;) {
      const query = after === undefined ? "" : `&after=${encodeURIComponent(after)}`
      const { status, body } = await ask("GET", `/changes?limit=${PAGE}${query}`)
      if (after !== undefined && START_AGAIN.includes(status)) {
        commit([["cursor", undefined]])
        after = whole = undefined
        continue
      }
      if (status !== 200) throw new Error(`GET /api/v1/changes was answered with ${status}: ${JSON.stringify(body)}`)
      const { changes, cursor, has_more, full } = body as Page
      const entries = changes.map(({ type, id, data }) => objectEntry(type, id, data))
      if (full) whole ??= { entries: [], before: [...state.base.keys()] }
      whole?.entries.push(...entries)
      if (whole === undefined) commit([...entries, ["cursor", cursor]])
      else if (!has_more) {
        const gone = whole.before.map((key): Entry => [`object/${key}`, undefined])
        commit([...gone, ...whole.entries, ["cursor", cursor]])
      } else if (whole.before.length === 0) commit(entries)
      if (!has_more) return
      after = cursor
    }
  }

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
      else commit([["flight", { key: newUuid(), steps: next.steps } satisfies Flight]])
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
        commit([LANDED])
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
      if (isRepeated) await pull()
      commit(carriedOut(state, flight, responses).filter(([name]) => !isRepeated || !name.startsWith("object/")))
      misses = 0
      return
    }
    if (isRepeated) {
      // What was carried out the first time can be refused now, as where it may not be seen any more.
      await pull()
      const known = recognised(state, flight)
      if (known !== undefined) return commit(known)
    }
    const blamed = steps.find(({ id }) => id === (answer.error?.request ?? answer.request))
    const [step] = blamed === undefined && steps.length > 1 ? [] : [blamed ?? steps[0]]
    if (step !== undefined) return judge(step, { status, body })
    most = Math.floor(steps.length / 2)
    commit([LANDED])
  }

  /** Takes a refusal of one step. @throws TryLater when it is in conflict again and again */
  function judge(step: Step, answer: StepAnswer): void {
    const { again, patch } = refused(state, step, answer)
    commit([...patch, LANDED])
    misses = again ? misses + 1 : 0
    if (again && patch.length === 0) isNews = true
    if (misses >= MAX_TIMES) throw new TryLater("The same is being changed all the time.")
  }

  async function work(): Promise<void> {
    for (let isMore = true; isMore && !over.signal.aborted; failures = 0) {
      if (isNews) {
        isNews = false
        await pull()
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
      try {
        await work()
        // The attempt that may have been asked for meanwhile was this one.
        retry = createPause()
        const holds = state.queue.flatMap((one) => (heldFor(one, plannedAt) > 0 ? heldFor(one, Date.now()) : []))
        await idle.wait(Math.min(ASK_EVERY_MS, ...holds))
      } catch (error) {
        isNews = true
        if (over.signal.aborted) return
        const isOut = error instanceof SignedOut
        const afterMs = error instanceof TryLater ? error.afterMs : 0
        const ms = isOut ? FOREVER_MS : Math.max(afterMs, backoffMs(FIRST_WAIT_MS, failures++))
        tell(
          isOut
            ? { connection: "signed-out", retryAt: undefined }
            : { connection: "offline", retryAt: Date.now() + ms },
        )
        await retry.wait(ms)
      }
    }
  }
  const ended = run()

  return {
    /** There is something to send, once no attempt is waited for. */
    commandGiven: idle.wake,
    /** Something has happened at the service. */
    changed() {
      isNews = true
      idle.wake()
    },
    /** Tries at once what waits for its next attempt: the network is back, or somebody looks. */
    tryNow: () => retry.wake(),
    async stop() {
      over.abort()
      idle.wake()
      retry.wake()
      await ended
    },
  }
}

const ONLINE = { connection: "online", retryAt: undefined } as const

import type { Flight, Patch, Step } from "./command.js"
import { type Ask, SignedOut, TryLater } from "./http.js"
import { plan } from "./plan.js"
import { pull } from "./pull.js"
import { carriedOut, recognised, refused, type StepAnswer } from "./settle.js"
import type { State } from "./state.js"
import type { Status } from "./status.js"

/** Brings queue and service together. */
export type Sync = {
  /** There is something to send. */
  commandGiven(): void
  /** Something has happened at the service. */
  changed(): void
  /** Tries at once what waits for its next attempt: the network is back, or somebody looks. */
  tryNow(): void
  stop(): Promise<void>
}

type Parts = {
  readonly state: State
  readonly ask: Ask
  /** Takes a change over; `kept` resolves when the store has it. */
  commit(patch: Patch): void
  kept(): Promise<void>
  /** Tells how it stands. */
  tell(status: Partial<Status>): void
}

const MAX_WAIT_MS = 60_000
const FIRST_WAIT_MS = 1_000
/** What nothing tells of, such as another name of a co-member, is asked for so often at least. */
const ASK_EVERY_MS = 300_000
/** How often a command may come to nothing before something else is done about it. */
const MAX_TIMES = 5
const MAX_STEPS = 100
/** Answers that say that nothing was carried out. */
const UNDONE: readonly number[] = [429, 500]

/**
 * Starts to synchronise: one thing at a time, so that nothing that is read is older than what was answered. First it is read
 * what has changed, then the queue is sent, one request after the other; then it waits until something happens.
 */
export function startSync({ state, ask: askService, commit, kept, tell }: Parts): Sync {
  const ask: Ask = (method, path, request) => askService(method, path, { ...request, signal: over.signal })
  const alone = new Set<string>()
  const times = new Map<string, number>()
  const over = new AbortController()
  let most = MAX_STEPS
  let failures = 0
  let isNews = true
  let isOver = false
  /** Whether the request under way was sent before: then nobody knows what has become of it. */
  let isDoubtful = state.flight !== undefined
  let wake: (why: "work" | "now") => void = () => {}
  let earlier: "work" | "now" | undefined

  /** Waits so long, or until somebody wakes it: for `work` only where it waits for that. */
  function rest(ms: number, forWork: boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        wake = note
        earlier = undefined
        resolve()
      }
      const timer = setTimeout(done, ms)
      wake = (why) => (why === "now" || forWork ? done() : undefined)
      if (isOver || earlier === "now" || (earlier === "work" && forWork)) done()
    })
  }
  const note = (why: "work" | "now"): void => {
    if (earlier !== "now") earlier = why
  }
  wake = note

  /** Sends what comes next; false when nothing does. @throws TryLater, SignedOut */
  async function sendNext(): Promise<boolean> {
    if (isDoubtful && state.flight !== undefined) {
      const known = recognised(state, state.flight)
      if (known !== undefined) commit(known)
      // What makes nothing is planned anew: it can be repeated as it is, and may have been overtaken.
      else if (state.flight.steps.every(({ method }) => method !== "POST")) commit({ flight: null })
    }
    if (state.flight === undefined) {
      const next = plan(state, { now: Date.now(), most, alone })
      if (next === undefined) return false
      if ("patch" in next) {
        commit(next.patch)
        return true
      }
      const [first] = next.steps as [Step]
      const isSingle = next.steps.length === 1 && first.method === "POST"
      commit({ flight: { key: isSingle ? (first.commands[0] as string) : crypto.randomUUID(), steps: next.steps } })
    }
    await kept()
    isDoubtful = true
    await send(state.flight as unknown as Flight).catch((error) => {
      if (error instanceof TryLater && UNDONE.includes(error.status ?? 0)) commit({ flight: null })
      throw error
    })
    isDoubtful = false
    return true
  }

  async function send(flight: Flight): Promise<void> {
    const { key, steps } = flight
    const headers = { "Idempotency-Key": key, "X-Client-Request-Id": key }
    const [first] = steps as [Step]
    if (steps.length === 1) {
      const answer = await ask(first.method, first.path, { body: first.body, headers }).catch((error) => {
        // What breaks the service each time holds up everything else.
        if (!(error instanceof TryLater) || error.status !== 500 || !isOften(first)) throw error
        return { status: 500, body: { error: { message: error.message } } }
      })
      if (answer.status < 300) commit(carriedOut(state, flight, [answer]))
      else judge(first, answer)
      return
    }
    const requests = steps.map(({ id, method, path, body }) => ({ id, method, path: `/api/v1${path}`, body }))
    const answer = await ask("POST", "/batch", { body: { atomic: true, requests }, headers })
    const body = (answer.body ?? {}) as { responses?: StepAnswer[]; request?: string; error?: { request?: string } }
    if (answer.status < 300 && body.responses !== undefined) return commit(carriedOut(state, flight, body.responses))
    const blamed = steps.find(({ id }) => id === (body.error?.request ?? body.request))
    if (blamed !== undefined && answer.status === 409) return judge(blamed, answer)
    // Alone it is told what is wrong with it; and there is what is not done together with others.
    if (blamed !== undefined) for (const id of blamed.commands) alone.add(id)
    else most = Math.max(1, Math.floor(steps.length / 2))
    commit({ flight: null })
  }

  /** Takes a refusal of one step. @throws TryLater when it is in conflict again and again */
  function judge(step: Step, answer: StepAnswer): void {
    const { again, ...patch } = refused(state, step, answer)
    commit({ ...patch, flight: null })
    if (again && (patch.put ?? []).length === 0) isNews = true
    if (again && isOften(step)) throw new TryLater("The same is being changed all the time.")
  }
  /** Counts how often a step has come to nothing; true each {@link MAX_TIMES}th time. */
  function isOften({ commands: [id = ""] }: Step): boolean {
    times.set(id, (times.get(id) ?? 0) + 1)
    return (times.get(id) as number) % MAX_TIMES === 0
  }

  async function work(): Promise<void> {
    do {
      if (isNews) {
        isNews = false
        await pull(state, ask, commit)
        await kept()
      }
      failures = 0
      tell({ connection: "online", isComplete: true, retryAt: undefined })
    } while (!isOver && (await sendNext()))
    most = MAX_STEPS
    alone.clear()
    times.clear()
  }

  /** How long to wait for the next attempt: doubling to a minute, ± 20 %, and never less than the service asks. */
  function pause({ afterMs, status }: TryLater): number {
    if (status === 429 || status === 500) most = Math.max(1, Math.floor(most / 2))
    const doubled = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++)
    return Math.max(afterMs, doubled * (0.8 + Math.random() * 0.4))
  }

  async function run(): Promise<void> {
    while (!isOver) {
      try {
        await work()
        const holds = state.queue.map(({ heldUntil = 0 }) => heldUntil - Date.now()).filter((ms) => ms > 0)
        if (!isNews && !isOver) await rest(Math.min(ASK_EVERY_MS, ...holds), true)
      } catch (error) {
        isNews = true
        if (isOver) return
        if (error instanceof SignedOut) {
          tell({ connection: "signed-out", retryAt: undefined })
          await rest(2 ** 31 - 1, false)
          continue
        }
        const later = error instanceof TryLater ? error : new TryLater(String(error))
        const ms = pause(later)
        tell({ connection: "offline", retryAt: Date.now() + ms })
        await rest(ms, false)
      }
    }
  }
  const ended = run()

  return {
    commandGiven: () => wake("work"),
    changed() {
      isNews = true
      wake("work")
    },
    tryNow: () => wake("now"),
    async stop() {
      isOver = true
      over.abort()
      wake("now")
      await ended
    },
  }
}

import { setTimeout as sleep } from "node:timers/promises"
import { type Listener, type Listening, listen } from "../live/listener.js"
import type { Person } from "../support/make.js"

/** A client that keeps a subscription open through everything, as a good one does: it resumes, and starts again when told to. */
export type Subscriber = {
  /** Of how many lists it has been shown something since it last started. */
  lists(): number
  /** Loses its connection without a word. */
  cut(): void
  /** How often it was told to read everything again. */
  resyncs(): number
  /** The ids of all events that it was shown, those from before it was told to start again included. */
  shown(): string[]
  /** The id of the first event that it was shown. */
  firstEvent(): string | undefined
  /** How many events came twice without its having been told to start again. */
  twice(): number
  /** The events of a log that it should have been shown since it last started: of each list all behind the first that it was shown. */
  missed(log: readonly Logged[]): string[]
  stop(): Promise<void>
}

/** An event as the log has it. Those of a list are committed in the order of their revisions, and those of different lists in none. */
export type Logged = { readonly id: string; readonly listId: string; readonly listRevision: number }

const FIELDS = "id listId listRevision fingerprint"
const OF_ACCOUNT = `subscription ($after: String) { accountUpdated(after: $after) { ${FIELDS} cursor } }`
const OF_LIST = `subscription ($listId: ID!, $sinceRevision: Int, $sinceFingerprint: String) {
  listUpdated(listId: $listId, sinceRevision: $sinceRevision, sinceFingerprint: $sinceFingerprint) { ${FIELDS} }
}`

/** Subscribes to a list, or to everything of the account without one. */
export function startSubscriber(person: Person, url: string, listId: number | undefined): Subscriber {
  const shown: string[] = []
  const seen = new Set<string>()
  const first = new Map<string, number>()
  let last: any
  let resyncs = 0
  let twice = 0
  let isOver = false
  let listener: Listener | undefined

  function take(event: any): void {
    shown.push(event.id)
    if (seen.has(event.id)) twice++
    seen.add(event.id)
    if (event.listId !== null && !first.has(event.listId)) first.set(event.listId, event.listRevision)
    last = event
  }

  const subscribe = (on: Listener): Listening =>
    listId === undefined
      ? on.subscribe(OF_ACCOUNT, { after: last?.cursor })
      : on.subscribe(OF_LIST, {
          listId,
          sinceRevision: last?.listRevision,
          sinceFingerprint: last?.fingerprint,
        })

  async function follow(): Promise<void> {
    while (!isOver) {
      listener = listen(person, url)
      const listening = subscribe(listener)
      const { events } = listening
      let taken = 0
      while (!isOver && (listening.state() === "open" || taken < events.length)) {
        for (; taken < events.length; taken++) take(events[taken])
        await sleep(10)
      }
      if (listening.state() === "RESYNC_REQUIRED") {
        resyncs++
        last = undefined
        seen.clear()
        first.clear()
      }
      await listener.close()
      await sleep(100)
    }
  }
  const following = follow()

  return {
    lists: () => first.size,
    cut: () => listener?.cut(),
    resyncs: () => resyncs,
    shown: () => shown,
    firstEvent: () => shown[0],
    twice: () => twice,
    missed: (log) =>
      log
        .filter((one) => one.listRevision >= (first.get(one.listId) ?? Number.POSITIVE_INFINITY) && !seen.has(one.id))
        .map(({ id }) => id),
    async stop() {
      isOver = true
      await following
      await listener?.close()
    },
  }
}

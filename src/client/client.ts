import type { Client, Options } from "./api.js"
import type { Outcome, Patch } from "./command.js"
import { createGiving } from "./give.js"
import { createHttp } from "./http.js"
import { startLive } from "./live.js"
import { createState } from "./state.js"
import type { Carrier, Status } from "./status.js"
import { entriesOf, memoryStore, patchOf } from "./store.js"
import { type Sync, startSync } from "./sync.js"
import { joinTabs, type Message, type Tabs } from "./tabs.js"
import { createView } from "./view.js"
import { createWatch } from "./watch.js"

export type { Client, Options } from "./api.js"
export type { Aside, Command, Given, Outcome, Values } from "./command.js"
export { type Filter, smartLists } from "./find.js"
export type { Answer, GiveHeaders } from "./http.js"
export { indexedDbStore } from "./indexed-db.js"
export type { Changes, Deletable, Kind, Movable, News, Objects } from "./kinds.js"
export type { Carrier, Status } from "./status.js"
export { type Entry, memoryStore, type Store } from "./store.js"
export type { View } from "./view.js"
export type * from "./wire.js"

const STARTING: Status = { connection: "starting", live: undefined, isComplete: false, retryAt: undefined }
const ALL: readonly Carrier[] = ["websocket", "sse", "poll"]

type Platform = {
  readonly location?: { readonly origin: string }
  readonly WebSocket?: unknown
  addEventListener?(name: string, listener: () => void): void
  removeEventListener?(name: string, listener: () => void): void
}

/** Makes a client; `start` starts it. */
export function createClient(options: Options): Client {
  const platform = globalThis as Platform
  const { headers, credentials = "same-origin", store = memoryStore(), carriers = ALL } = options
  const url = options.url === "" ? (platform.location?.origin ?? "") : options.url
  const http = createHttp({ url, headers, credentials, fetch: options.fetch ?? ((...all) => fetch(...all)) })
  const watch = createWatch()
  const state = createState((keys) => watch.touched(keys))
  const outcomes = new Map<string, (outcome: Outcome) => void>()
  let status = STARTING
  const view = createView(state, watch, () => status)
  let keeping: Promise<void> = Promise.resolve()
  let sync: Sync | undefined
  let live: ReturnType<typeof startLive> | undefined
  let tabs: Tabs | undefined
  /** What other windows told while the store was being read. */
  let unheard: Patch[] | undefined
  let loaded: Promise<void> | undefined

  /** Takes a change over here: the view shows it. */
  function apply(patch: Patch): Patch {
    const applied = state.apply(patch)
    const settled = (patch.commands ?? []).flatMap(({ id, aside }) =>
      aside === undefined ? [] : [[id, aside.reason] as const],
    )
    for (const [id, outcome] of [...settled, ...(patch.ended ?? [])]) {
      outcomes.get(id)?.(outcome)
      outcomes.delete(id)
    }
    return applied
  }
  /** Takes it over, keeps it, and tells the other windows. */
  function commit(patch: Patch): void {
    const applied = apply(patch)
    keeping = keeping.then(() => store.save(entriesOf(applied))).then(() => tabs?.post({ patch: applied }))
    keeping.catch(() => {}) // `kept` tells
  }
  async function load(): Promise<void> {
    await keeping.catch(() => {})
    // What is given from here on may be kept too late to be among what is read.
    const known = state.queue.map(({ id }) => id)
    const stored = patchOf(await store.load())
    const there = new Set(stored.commands?.map(({ id }) => id))
    apply({ ...stored, ended: known.filter((id) => !there.has(id)).map((id) => [id, "confirmed"]) })
  }
  function show(next: Status): void {
    if (JSON.stringify(next) === JSON.stringify(status)) return
    status = next
    watch.touched(new Set(["status"]))
  }
  function tell(told: Partial<Status>): void {
    if (told.connection === "online" && status.connection !== "online") live?.tryNow()
    show({ ...status, ...told })
    if (sync !== undefined) tabs?.post({ status })
  }
  function receive(message: Message): void {
    if ("hello" in message) tell({})
    else if ("status" in message) show(message.status)
    else if (unheard !== undefined) unheard.push(message.patch)
    else {
      apply(message.patch)
      sync?.commandGiven()
    }
  }

  /** It is this window's turn to synchronise. */
  async function lead(): Promise<void> {
    const isFirst = unheard !== undefined
    await loaded
    // Where another window has synchronised until now, the store knows better than what was heard.
    if (!isFirst) await load()
    if (tabs === undefined) return
    sync = startSync({
      state,
      ask: http.ask,
      commit,
      kept: () => keeping,
      tell(told) {
        tell(told)
        if (told.isComplete) live ??= goLive()
      },
    })
  }
  const goLive = () =>
    startLive({
      url,
      state,
      ...http,
      connectionParams: options.connectionParams ?? headers,
      webSocket: options.webSocket ?? platform.WebSocket,
      carriers,
      changed: () => sync?.changed(),
      tell: (carrier) => tell({ live: carrier }),
      isOnline: () => status.connection === "online",
    })
  function tryNow(): void {
    sync?.tryNow()
    live?.tryNow()
  }

  return {
    view,
    async start() {
      if (tabs !== undefined) return tryNow()
      unheard = []
      loaded = load()
      tabs = joinTabs(store.sharedAs, () => void lead().catch(() => tell({ connection: "offline" })), receive)
      platform.addEventListener?.("online", tryNow)
      await loaded
      for (const patch of unheard.splice(0)) apply(patch)
      unheard = undefined
      show({ ...status, connection: "offline", isComplete: state.cursor !== undefined })
      tabs.post({ hello: true })
    },
    async stop() {
      platform.removeEventListener?.("online", tryNow)
      live?.stop()
      await sync?.stop()
      await keeping.catch(() => {})
      tabs?.leave()
      tabs = sync = live = undefined
      show({ ...status, connection: "stopped", live: undefined, retryAt: undefined })
    },
    ...createGiving({
      state,
      view,
      commit,
      given: () => sync?.commandGiven(),
      outcomeOf: (id) => new Promise((resolve) => outcomes.set(id, resolve)),
    }),
    subscribe: (select, callback) => watch.subscribe(() => select(view), callback),
    tryNow,
    kept: () => keeping,
    request: (method, path, body) => http.ask(method, path, { body }),
  }
}

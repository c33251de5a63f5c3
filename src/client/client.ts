import type { Client, Options, Status } from "./api.js"
import { type Command, type Entry, endOf, type Outcome, type Patch } from "./command.js"
import { createGiving } from "./give.js"
import { createHttp } from "./http.js"
import { startLive } from "./live.js"
import { LANDED } from "./settle.js"
import { createState } from "./state.js"
import { memoryStore } from "./store.js"
import { type Sync, startSync } from "./sync.js"
import { joinTabs, type Message, type Tabs } from "./tabs.js"
import { createView } from "./view.js"
import { createWatch } from "./watch.js"

export type { Answer, Carrier, Client, GiveHeaders, Options, Status, View } from "./api.js"
export type { Aside, Command, Entry, Given, Outcome, Values } from "./command.js"
export { type Filter, smartLists } from "./find.js"
export { indexedDbStore } from "./indexed-db.js"
export type { Deletable, Kind, Movable } from "./kinds.js"
export { memoryStore, type Store } from "./store.js"
export type * from "./wire.js"

const STARTING: Status = { connection: "starting", live: undefined, isComplete: false, retryAt: undefined }
const LOAD_AGAIN_MS = 1_000

type Platform = Partial<EventTarget> & { readonly location?: { readonly origin: string }; readonly WebSocket?: unknown }

/** Makes a client; `start` starts it. */
export function createClient(options: Options): Client {
  const platform = globalThis as Platform
  const { store = memoryStore() } = options
  const url = options.url === "" ? (platform.location?.origin ?? "") : options.url
  const http = createHttp({ ...options, url })
  const watch = createWatch()
  const state = createState(url, watch.touched)
  /** By the names under which the commands are kept. */
  const outcomes = new Map<string, (outcome: Outcome) => void>()
  let status = STARTING
  const view = createView(state, watch, () => status)
  /** What the store does not have yet. */
  let unsaved: Patch = []
  /** Of that, what it is being given. */
  let underWay: Patch = []
  let saving: Promise<void> = Promise.resolve()
  /** Whether the store had no room: since then it has only what is to be sent, and the next start reads all that there is. */
  let isFull = false
  let sync: Sync | undefined
  let live: ReturnType<typeof startLive> | undefined
  let tabs: Tabs | undefined
  let loaded: Promise<void> | undefined

  /** Takes a change over here: the view shows it. Gives it as it is to be kept. */
  function apply(patch: Patch): Patch {
    const applied = state.apply(patch)
    for (const [name, value, dropped = "confirmed"] of applied) {
      const outcome = value === undefined ? dropped : (value as Partial<Command>).aside?.reason
      if (outcome === undefined) continue
      outcomes.get(name)?.(outcome)
      outcomes.delete(name)
    }
    return applied
  }
  const outcomeOf = (id: string) => new Promise<Outcome>((resolve) => outcomes.set(endOf(id)[0], resolve))
  /** Takes it over, keeps it, and tells the other windows. */
  function commit(patch: Patch): void {
    unsaved = [...unsaved, ...apply(patch)]
    save().catch(() => {}) // `kept` tells
  }
  function give(patch: Patch): void {
    commit(patch)
    sync?.commandGiven()
  }
  /** Saves what the store does not have yet; what it does not take is saved with what comes next. */
  function save(): Promise<void> {
    saving = saving
      .catch(() => {})
      .then(async () => {
        if (unsaved.length === 0) return
        underWay = unsaved
        unsaved = []
        const fitting = () => (isFull ? underWay.filter(isUnknown) : underWay)
        try {
          await store.save(fitting()).catch((error: Error) => {
            if (isFull || error.name !== "QuotaExceededError") throw error
            // What the service has anyway makes room for what it does not have.
            isFull = true
            return store.save([...forgotten(), ...fitting()])
          })
          if (underWay.length > 0) tabs?.post({ patch: underWay })
        } catch (error) {
          unsaved = [...underWay, ...unsaved]
          throw error
        } finally {
          underWay = []
        }
      })
    return saving
  }
  /** The window closes, and the store may not take any more what was done last: from here on it is the others'. */
  function noteLeft(): void {
    const left = [...underWay, ...unsaved].filter(isUnknown)
    if (left.length === 0 || !store.leave?.(left)) return
    underWay = underWay.filter((entry) => !isUnknown(entry))
    unsaved = unsaved.filter((entry) => !isUnknown(entry))
  }
  /** One window takes over what others have left: the one that sends it. */
  function takeLeft(): void {
    const left = sync && store.left?.()
    if (left?.length) give(left)
  }
  /** The window is back as it was left, and has heard nothing meanwhile. */
  function comeBack(event: Event): void {
    if (!("persisted" in event && event.persisted)) return
    takeLeft()
    // One that synchronises has had nobody do so in its place.
    if (sync === undefined) loaded = load().catch(() => {})
  }
  /** Nothing of what the service has anyway. */
  const forgotten = () => ["cursor", ...[...state.base.keys()].map(objectName)].map((name): Entry => [name, undefined])
  async function load(): Promise<void> {
    await save().catch(() => {})
    // What is given from here on may be kept too late to be among what is read.
    const known = state.queue.map(({ id }) => endOf(id))
    const own = [...underWay, ...unsaved]
    const stored = await store.load()
    const there = new Set([...stored, ...own].map(([name]) => name))
    const ended = known.filter(([name]) => !there.has(name))
    apply([...forgotten(), LANDED, ...stored, ...own, ...ended])
  }
  function show(next: Status): void {
    if (JSON.stringify(next) === JSON.stringify(status)) return
    status = next
    watch.touched(["status"])
  }
  function tell(told: Partial<Status>): void {
    if (told.connection === "online" && status.connection !== "online") live?.tryNow()
    show({ ...status, ...told })
    if (sync !== undefined) tabs?.post({ status })
  }
  async function receive(message: Message): Promise<void> {
    await loaded?.catch(() => {})
    if (tabs === undefined) return
    if ("now" in message) {
      tell({})
      sync?.tryNow()
      live?.tryNow()
    } else if ("status" in message) show(message.status)
    else {
      apply(message.patch)
      sync?.commandGiven()
    }
  }

  /** It is this window's turn to synchronise, or another's. */
  async function lead(isTurn: boolean): Promise<void> {
    if (!isTurn) return void endSync()
    const own = tabs
    // Where another window has synchronised until now, the store knows better than what was heard.
    try {
      await (status.connection === "starting" ? loaded : load())
    } catch {
      setTimeout(() => tabs === own && void lead(true), LOAD_AGAIN_MS)
      return
    }
    if (own === undefined || tabs !== own || sync !== undefined) return
    const kept = () => save().then(() => tabs?.confirm())
    sync = startSync(state, http.ask, commit, kept, (told) => {
      tell(told)
      const parts = { webSocket: platform.WebSocket, ...options, url, state, http }
      if (told.isComplete) live ??= startLive(parts, tell, changed, isOnline)
    })
    takeLeft()
  }
  const changed = () => sync?.changed()
  const isOnline = () => status.connection === "online"
  async function endSync(): Promise<void> {
    live?.stop()
    const ended = sync?.stop()
    live = sync = undefined
    await ended
  }
  /** Here, or in the window that synchronises. */
  function tryNow(): void {
    sync?.tryNow()
    live?.tryNow()
    if (sync === undefined) tabs?.post({ now: true })
  }
  const listeners = { online: tryNow, pagehide: noteLeft, pageshow: comeBack, storage: takeLeft }
  function leave(): void {
    for (const [name, listener] of Object.entries(listeners)) platform.removeEventListener?.(name, listener)
    tabs?.leave()
    tabs = undefined
  }

  return {
    view,
    async start() {
      if (tabs !== undefined) return tryNow()
      show(STARTING)
      loaded = load()
      tabs = joinTabs(
        store,
        (isTurn) => void lead(isTurn),
        (message) => void receive(message),
      )
      for (const [name, listener] of Object.entries(listeners)) platform.addEventListener?.(name, listener)
      await loaded.catch((error) => {
        leave()
        throw error
      })
      show({ ...status, connection: "offline", isComplete: state.cursor !== undefined })
      tabs?.post({ now: true })
    },
    async stop() {
      await endSync()
      await saving.catch(() => {})
      leave()
      show({ ...status, connection: "stopped", live: undefined, retryAt: undefined })
    },
    ...createGiving(state, view, give, outcomeOf),
    subscribe: (select, callback) => watch.subscribe(() => select(view), callback),
    tryNow,
    kept: save,
    request: (method, path, body) => http.ask(method, path, { body }),
  }
}

/** Whether the service does not have it anyway. */
const isUnknown = ([name]: Entry): boolean => !/^(object|cursor)\b/.test(name)
const objectName = (key: string): string => `object/${key}`

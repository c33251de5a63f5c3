import type { Status } from "./api.js"
import { newUuid, type Patch } from "./command.js"
import { TryLater } from "./http.js"
import type { Store } from "./store.js"

/** What windows tell each other. */
export type Message =
  | { readonly patch: Patch }
  | { readonly status: Status }
  /** A window has opened, or its user wants it to be tried at once: how does it stand? */
  | { readonly now: true }

export type Tabs = ReturnType<typeof joinTabs>

type Locks = { request(name: string, options: { signal: AbortSignal }, work: () => Promise<void>): Promise<void> }

/** How long a window may synchronise without asking again, where there are no locks. */
const LEASE_MS = 4_000

/**
 * Joins the windows that share a store: one synchronises for all, as long as it is open. Where the browser knows no locks, as in
 * a page that came over plain http, it holds a lease in the store instead.
 * @param lead is called when it is this window's turn, and when it is no more
 */
export function joinTabs(store: Store, lead: (isTurn: boolean) => void, receive: (message: Message) => void) {
  const { sharedAs: name, claim } = store
  const { locks } = ((globalThis as { navigator?: unknown }).navigator ?? {}) as { locks?: Locks }
  if (name === undefined) {
    queueMicrotask(() => lead(true))
    return { post: (_message: Message) => {}, confirm: async () => {}, leave() {} }
  }
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event) => receive((event as { data: Message }).data)
  const over = new AbortController()
  const owner = newUuid()
  let leads = false
  function turn(isTurn: boolean): void {
    if (isTurn !== leads && !over.signal.aborted) lead(isTurn)
    leads = isTurn
  }
  const renew = async (): Promise<void> =>
    turn(claim === undefined || (await claim(owner, LEASE_MS).catch(() => false)))
  const hold = () =>
    new Promise<void>((resolve) => {
      over.signal.addEventListener("abort", () => resolve())
      turn(true)
    })
  let timer: ReturnType<typeof setInterval> | undefined
  if (locks !== undefined) locks.request(name, { signal: over.signal }, hold).catch(() => {})
  else {
    timer = setInterval(renew, LEASE_MS / 3)
    void renew()
  }
  return {
    /** Tells all others. */
    post: (message: Message): void => channel.postMessage(message),
    /** @throws TryLater unless it is this window's turn to synchronise */
    async confirm(): Promise<void> {
      if (locks === undefined) await renew()
      if (!leads) throw new TryLater("Another window synchronises.")
    },
    /** Leaves them: another one synchronises from now on. */
    leave(): void {
      over.abort()
      clearInterval(timer)
      if (locks === undefined && leads) void claim?.(owner, 0).catch(() => {})
      channel.close()
    },
  }
}

import type { Patch } from "./command.js"
import type { Status } from "./status.js"

/** What windows tell each other. */
export type Message =
  | { readonly patch: Patch }
  | { readonly status: Status }
  /** A window has opened, and asks how it stands. */
  | { readonly hello: true }

/** The windows that share a store. */
export type Tabs = {
  /** Tells all others. */
  post(message: Message): void
  /** Leaves them: another one synchronises from now on. */
  leave(): void
}

type Locks = { request(name: string, options: { signal: AbortSignal }, work: () => Promise<void>): Promise<void> }

/**
 * Joins the windows that share a store: one synchronises for all, as long as it is open. Where nobody else can have the store,
 * or the browser knows no locks (as where a page comes over plain http), each does it by itself.
 * @param lead is called once, when it is this window's turn
 */
export function joinTabs(name: string | undefined, lead: () => void, receive: (message: Message) => void): Tabs {
  const { locks } = ((globalThis as { navigator?: unknown }).navigator ?? {}) as { locks?: Locks }
  if (name === undefined) {
    queueMicrotask(lead)
    return { post() {}, leave() {} }
  }
  const channel = new BroadcastChannel(name)
  channel.onmessage = (event) => receive((event as { data: Message }).data)
  const over = new AbortController()
  let release = () => {}
  const hold = () =>
    new Promise<void>((resolve) => {
      release = resolve
      lead()
    })
  if (locks === undefined) queueMicrotask(lead)
  else locks.request(name, { signal: over.signal }, hold).catch(() => {})
  return {
    post: (message) => channel.postMessage(message),
    leave() {
      over.abort()
      release()
      channel.close()
    },
  }
}

// Events as they happen, by graphql-ws (https://github.com/enisdenjo/graphql-ws). After a cut they go on where they were.

import { EVENTS } from "./documents.js"

/** @import { LiveEvent, State } from "./state.js" */

const MAX_WAIT_MS = 20_000
const PING_EVERY_MS = 10_000
const PONG_WITHIN_MS = 5_000
const SUBSCRIBED_AFTER_MS = 500
const FORBIDDEN = 4403

/** Sooner when the browser says that the network is back, or somebody looks at the page again. @type {(ms: number) => Promise<void>} */
const sleep = (ms) =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      removeEventListener("online", wake)
      document.removeEventListener("visibilitychange", wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    addEventListener("online", wake)
    document.addEventListener("visibilitychange", wake)
  })

const pause = (/** @type {number} */ failures) =>
  sleep(Math.min(MAX_WAIT_MS, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2))

/**
 * @param {object} parts
 * @param {string} parts.url
 * @param {{ current(): string, renew(): Promise<string> }} parts.token
 * @param {string | null} parts.after the place from which on events are wanted
 * @param {(event: LiveEvent) => void} parts.take
 * @param {(connection: State["connection"]) => void} parts.show
 * @param {() => Promise<string | null>} parts.readAll reads everything again, and gives the place at which that was
 */
export function follow({ url, token, after, take, show, readAll }) {
  let cursor = after
  let failures = 0
  /** @type {Promise<string> | undefined} */
  let renewing
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let unanswered

  const client = globalThis.graphqlWs.createClient({
    url,
    async connectionParams() {
      await renewing
      return { "X-Client-ID": "personal", "X-Access-Token": token.current() }
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: () => pause(failures++),
    // A line that is dead without saying so answers no ping.
    keepAlive: PING_EVERY_MS,
    on: {
      connected() {
        failures = 0
        show("live")
        if (cursor === null) setTimeout(() => void readAll().then(begin, () => {}), SUBSCRIBED_AFTER_MS)
      },
      closed(/** @type {any} */ { code }) {
        clearTimeout(unanswered)
        // Access is over: the page knows whether it goes on or the session has ended.
        if (code === FORBIDDEN) renewing = token.renew().catch(() => "")
        show("offline")
      },
      ping(/** @type {boolean} */ isReceived) {
        if (!isReceived) unanswered = setTimeout(() => client.terminate(), PONG_WITHIN_MS)
      },
      pong: () => clearTimeout(unanswered),
    },
  })
  addEventListener("offline", () => client.terminate())

  // The client subscribes anew after each cut, with the variables as they are then: behind the last event that came.
  const variables = {
    get after() {
      return cursor
    },
  }

  /** Where nothing has happened for weeks there is no place to begin at: what came before the subscription is read once it holds. */
  const begin = (/** @type {string | null} */ place) => {
    cursor ??= place
  }

  function subscribe() {
    client.subscribe(
      { query: EVENTS, variables },
      {
        next({ data }) {
          const event = /** @type {LiveEvent | undefined} */ (data?.accountUpdated)
          if (event === undefined) return
          failures = 0
          cursor = event.cursor
          take(event)
        },
        async error(reason) {
          await pause(failures++)
          // Refused, as when no event tells what was missed: everything is read again. Else the line was cut for good.
          if (Array.isArray(reason)) cursor = await readAll().catch(() => cursor)
          subscribe()
        },
        complete: () => void pause(failures++).then(subscribe),
      },
    )
  }
  subscribe()
}

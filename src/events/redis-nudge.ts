import { Redis } from "ioredis"
import type { Log } from "../log.js"
import { coalesced } from "./coalesced.js"
import type { Nudge } from "./nudge.js"

const CHANNEL = "tandem:nudge"
const RECONNECT_MS = 1_000
const TIMEOUT_MS = 2_000

/**
 * Nudges through Redis. While it is gone, the tails find by their poll what was committed. `onNudge` is called for every
 * node's nudges, and when some may have been missed.
 */
export function startRedisNudge(url: string, log: Log, onNudge: () => void): Nudge {
  const connect = (connectionName: string) =>
    new Redis(url, {
      connectionName,
      connectTimeout: TIMEOUT_MS,
      commandTimeout: TIMEOUT_MS,
      // What cannot be sent now is of no use later.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => RECONNECT_MS,
      autoResubscribe: false,
    }).on("error", () => {}) // "close" follows
  const publisher = connect("tandem-nudge")
  const subscriber = connect("tandem-nudge-listener")
  let isStopping = false
  let isListening: boolean | undefined

  const nudge = coalesced(() => (publisher.status === "ready" ? publisher.publish(CHANNEL, "") : undefined))
  publisher.on("ready", nudge.retry)
  subscriber
    .on("message", onNudge)
    .on("ready", () => {
      subscriber.subscribe(CHANNEL).then(
        () => {
          if (isListening === false) log.info("nudges are heard again")
          isListening = true
          onNudge()
        },
        () => subscriber.disconnect(true),
      )
    })
    .on("close", () => {
      if (isStopping || isListening === false) return
      log.warn("Redis is not there; events come by the poll until it is")
      isListening = false
    })

  return {
    send: nudge.want,
    async stop() {
      isStopping = true
      publisher.disconnect()
      subscriber.disconnect()
    },
  }
}

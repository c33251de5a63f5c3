import { Redis } from "ioredis"
import type { Log } from "../log.js"
import { coalesced } from "./coalesced.js"
import type { WakeUp } from "./wake-up.js"

const CHANNEL = "tandem:wake-up"
const RECONNECT_MS = 1_000
const TIMEOUT_MS = 2_000

/**
 * Wake-up notifications through Redis. While it is gone, the tails find by their poll what was committed. `onWakeUp` is called for every
 * node's wake-up notifications, and when some may have been missed.
 */
export function startRedisWakeUp(url: string, log: Log, onWakeUp: () => void): WakeUp {
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
  const publisher = connect("tandem-wake-up")
  const subscriber = connect("tandem-wake-up-listener")
  let isStopping = false
  let isListening: boolean | undefined

  const wakeUp = coalesced(() => (publisher.status === "ready" ? publisher.publish(CHANNEL, "") : undefined))
  publisher.on("ready", wakeUp.retry)
  subscriber
    .on("message", onWakeUp)
    .on("ready", () => {
      subscriber.subscribe(CHANNEL).then(
        () => {
          if (isListening === false) log.info("wake-up notifications are heard again")
          isListening = true
          onWakeUp()
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
    send: wakeUp.want,
    async stop() {
      isStopping = true
      publisher.disconnect()
      subscriber.disconnect()
    },
  }
}

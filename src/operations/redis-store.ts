import { Redis } from "ioredis"
import type { BudgetStore, Policy } from "./budget.js"

const RECONNECT_MS = 1_000
/** A request waits for it, so not for long. */
const TIMEOUT_MS = 500

const TAKE = `local count = redis.call("INCRBY", KEYS[1], ARGV[1])
if count == tonumber(ARGV[1]) then redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
return { count, redis.call("PTTL", KEYS[1]) }`

/** Counts for all nodes together, one round trip a take. Rejects within half a second or so while Redis is away: nothing waits for it. */
export function redisStore(url: string, { limit, windowMs }: Policy): BudgetStore {
  const redis = new Redis(url, {
    connectionName: "tandem-budget",
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_MS,
  }).on("error", () => {}) // the caller gets the error
  return {
    async take(key, wanted) {
      const name = `tandem:budget:${limit}:${windowMs}:${key}`
      const [count, ms] = (await redis.eval(TAKE, 1, name, wanted, windowMs)) as [number, number]
      const before = limit - (count - wanted)
      return {
        granted: Math.max(0, Math.min(wanted, before)),
        left: Math.max(0, limit - count),
        resetInMs: Math.max(1, ms),
      }
    },
    async stop() {
      redis.disconnect()
    },
  }
}

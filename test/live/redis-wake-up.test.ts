import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startRedisWakeUp } from "../../src/events/redis-wake-up.js"
import { statement } from "../../src/statement.js"
import { silentLog } from "../support/log.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { startNode, startNodeOn } from "../support/node.js"
import { hasRedis, startRedis, type TestRedis } from "../support/redis.js"
import { eventually, listen, quiet } from "./listener.js"

describe.runIf(hasRedis)("wake-up notifications through Redis", () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.kill())

  it("reach every node, few for many, and come back with Redis", async () => {
    const heard = [0, 0]
    const nodes = heard.map((_, index) => startRedisWakeUp(redis.url, silentLog, () => heard[index]!++))
    const hear = (wakeUp: () => void) => {
      heard.fill(0)
      return eventually(() => {
        wakeUp()
        return heard.every((count) => count > 0)
      })
    }
    // Listening begins with a wake-up notification of its own, because some may have been missed before.
    await eventually(() => heard.every((count) => count === 1))
    heard.fill(0)
    nodes[0]?.send()
    await eventually(() => heard.every((count) => count === 1))
    heard.fill(0)
    for (let n = 0; n < 1_000; n++) nodes[1]?.send()
    await eventually(() => heard.every((count) => count > 0))
    await quiet(200)
    for (const count of heard) expect([1, 2, 3]).toContain(count)

    await redis.kill()
    await quiet(100)
    heard.fill(0)
    for (const node of nodes) node.send()
    await quiet(200)
    expect(heard).toEqual([0, 0])
    await redis.start()
    await hear(() => {})
    await hear(() => nodes[1]?.send())
    await Promise.all(nodes.map((node) => node.stop()))
    await redis.kill()
    await redis.start()
    heard.fill(0)
    await quiet(1_200)
    expect(heard).toEqual([0, 0])
  })

  it("carry what one node writes to another; without Redis the poll does, and nothing is lost", async () => {
    const node = await startNode({ redisUrl: redis.url })
    const other = await startNodeOn(node.databaseUrl, { redisUrl: redis.url })
    const ann = await makePerson(node)
    const list = await makeList(ann)
    const listener = listen(ann, other.url)
    const listening = listener.listUpdated(list.id, 1)
    const change = async (count: number) => {
      for (let n = 0; n < 3; n++) await makeTask(ann, list)
      await listening.until((events) => events.length === count)
    }
    await change(3)
    await redis.kill()
    await change(6)
    await redis.start()
    await change(9)
    expect(listening.events.map(({ listRevision }) => listRevision)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await node.database.run(listenersOfPostgres, [])).toEqual([0])
    await listener.close()
    await other.stop()
    await node.stop()
  })

  it("are no condition for a start: a node starts without Redis", async () => {
    const node = await startNode({ redisUrl: "redis://127.0.0.1:1" })
    const ann = await makePerson(node)
    const listener = listen(ann)
    const list = await makeList(ann)
    const listening = listener.listUpdated(list.id, 1)
    await makeTask(ann, list)
    await listening.until((events) => events.length === 1)
    await listener.close()
    await node.stop()
  })
})

const listenersOfPostgres = statement(
  "listeners_of_postgres",
  "select count(*) from pg_stat_activity where application_name = 'tandem wake-up' and datname = current_database()",
  ([count]) => Number(count),
)

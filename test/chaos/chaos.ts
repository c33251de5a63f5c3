import { setTimeout as sleep } from "node:timers/promises"
import type { DeliverySettings } from "../../src/jobs/webhook-delivery/webhook-delivery.js"
import { statement } from "../../src/statement.js"
import { createClient } from "../support/client.js"
import { makeList, makePerson } from "../support/make.js"
import { makeHook } from "../webhooks/make-hook.js"
import { startReceiver, verified } from "../webhooks/receiver.js"
import { type Node, startCluster } from "./cluster.js"

const WRITERS = 8
const LISTS = 4

export type ChaosPlan = {
  readonly writes: number
  /** Each right behind an answer, of the node that gave it. */
  readonly kills: number
  readonly databaseRestarts: number
  /** What has not arrived so long after the last write is counted as lost. */
  readonly patienceMs: number
  readonly isDurable: boolean
  /** Compresses time for the delivery of all nodes. */
  readonly delivery?: Pick<DeliverySettings, "leaseMs" | "timeoutMs" | "schedule">
}

/** What came of a run. Everything but the counts of what was done must be 0. */
export type ChaosOutcome = {
  readonly acknowledged: number
  readonly refused: number
  readonly kills: number
  /** Nodes that ended by themselves. */
  readonly crashes: number
  readonly committed: number
  readonly received: number
  /** Acknowledged and not in the log of events. */
  readonly lost: number
  /** Committed and not delivered. */
  readonly undelivered: number
  /** Delivered and not committed. */
  readonly invented: number
  /** Changes that came under more than one webhook-id, and ids that stood for more than one change. */
  readonly ambiguous: number
  /** Lists whose revisions, once sorted, leave one out. */
  readonly gaps: number
  /** Deliveries whose signature is not that of their webhook at their time. */
  readonly unsigned: number
  /** From the last write until the last delivery had arrived. */
  readonly settledAfterMs: number
  readonly seconds: number
}

const eventsOfLists = statement(
  "chaos_events",
  `select e.list_id, e.list_revision, e.subject_type, e.subject_id, e.operation from events e
   where e.list_id = any($1::bigint[]) and e.id >= (select min(event_id) from webhook_deliveries) order by e.list_id, e.list_revision`,
  ([listId, revision, type, id, operation]) => ({
    change: `${listId}/${revision}`,
    what: `${operation} ${type} ${id}`,
  }),
)

/**
 * Writes to two nodes while they are killed and the database is restarted, and counts what a receiver is told. Needs what
 * `npm run build` makes.
 */
export async function runChaos(plan: ChaosPlan): Promise<ChaosOutcome> {
  const { writes, kills, databaseRestarts, patienceMs, isDurable, delivery } = plan
  const beganAt = performance.now()
  const cluster = await startCluster({ isDurable, delivery })
  const { nodes, database } = cluster
  const receiver = await startReceiver()
  try {
    const where = { url: (nodes[0] as Node).url, database }
    const ann = await makePerson(where)
    const lists = await Promise.all(Array.from({ length: LISTS }, (_, index) => makeList(ann, `List ${index}`)))
    const hooks = await Promise.all(lists.map((list) => makeHook(ann, list, receiver.url)))
    const secretOf = new Map(hooks.map(({ id, secret }) => [id, secret]))
    let unsigned = 0
    receiver.answer = (response, one) => {
      try {
        verified(one, secretOf.get(one.body.webhook_id) as string)
      } catch {
        unsigned++
      }
      response.writeHead(204).end()
    }
    const clientOf = ({ url }: Node) => createClient(url, ann.credentials)

    let begun = 0
    let acknowledged = 0
    let refused = 0
    let killed = 0
    let restarted = 0
    const made = new Set<string>()

    function trouble(node: Node): void {
      const share = acknowledged / writes
      if (killed < kills && share >= (killed + 1) / (kills + 1) && !node.process.killed) {
        killed++
        node.process.kill("SIGKILL")
      }
      if (restarted < databaseRestarts && share >= (restarted + 0.5) / databaseRestarts) {
        restarted++
        cluster.restartDatabase("SIGINT")
      }
    }

    async function write(): Promise<void> {
      let mine: { id: number; revision: number } | undefined
      while (begun < writes) {
        begun++
        const node = nodes[begun % nodes.length]
        if (node === undefined) {
          begun--
          await sleep(20)
          continue
        }
        const list = lists[begun % LISTS]
        const isPatch = mine !== undefined && begun % 3 === 0
        const client = clientOf(node)
        const reply = await (isPatch
          ? client.patch(`/tasks/${mine?.id}`, { revision: mine?.revision, title: `Change ${begun}` })
          : client.post("/tasks", { list_id: list.id, title: `Task ${begun}` })
        ).catch(() => undefined)
        if (reply === undefined || reply.status >= 300) {
          refused++
          mine = undefined
          begun--
          await sleep(20)
          continue
        }
        acknowledged++
        trouble(node)
        made.add(`${isPatch ? "UPDATE" : "CREATE"} task ${reply.body.id}`)
        mine = { id: reply.body.id, revision: reply.body.revision }
      }
    }

    await Promise.all(Array.from({ length: WRITERS }, write))
    while (nodes.length === 0) await sleep(100)
    const wroteAt = performance.now()
    const committed = await database.run(eventsOfLists, [lists.map(({ id }) => id)])
    const changeOf = ({ body }: { body: any }) => `${body.list_id}/${body.list_revision}`
    const arrived = () => new Set(receiver.received.map(changeOf))
    while (arrived().size < committed.length && performance.now() - wroteAt < patienceMs) await sleep(100)
    const settledAfterMs = Math.round(performance.now() - wroteAt)

    const told = arrived()
    const known = new Set(committed.map(({ change }) => change))
    const logged = new Set(committed.map(({ what }) => what))
    const pairs = new Set(receiver.received.map((one) => `${changeOf(one)} ${one.headers["webhook-id"]}`))
    const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))
    const revisions = [...told].map((change) => change.split("/").map(Number) as [number, number])
    return {
      acknowledged,
      refused,
      kills: killed,
      crashes: cluster.crashes(),
      committed: committed.length,
      received: receiver.received.length,
      lost: [...made].filter((what) => !logged.has(what)).length,
      undelivered: [...known].filter((change) => !told.has(change)).length,
      invented: [...told].filter((change) => !known.has(change)).length,
      ambiguous: pairs.size - told.size + (pairs.size - ids.size),
      gaps: lists.filter(({ id }) => {
        const its = revisions.filter(([list]) => list === id).map(([, revision]) => revision)
        return Math.max(...its) - Math.min(...its) + 1 !== its.length
      }).length,
      unsigned,
      settledAfterMs,
      seconds: Math.round((performance.now() - beganAt) / 1_000),
    }
  } finally {
    await receiver.stop()
    await cluster.stop()
  }
}

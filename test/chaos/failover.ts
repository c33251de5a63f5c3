import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { openDatabase } from "../../src/database/client.js"
import { statement } from "../../src/statement.js"
import { createClient } from "../support/client.js"
import { makeList, makePerson, makeTask } from "../support/make.js"
import { makeHook } from "../webhooks/make-hook.js"
import { startReceiver } from "../webhooks/receiver.js"
import { startPair } from "./pair.js"
import { type Logged, startSubscriber } from "./subscriber.js"

const NODE_PROGRAM = new URL("./node.process.mjs", import.meta.url).pathname
const WRITERS = 8
const LISTS = 4

export type FailoverPlan = {
  /** The primary ends as by a crash, so often. */
  readonly failovers: number
  /** The primary hands over in good order, so often; these come first. */
  readonly switchovers: number
  /** For how long is written before each, and behind the last. */
  readonly quietMs: number
  /** What has not arrived so long after the last write is counted as lost. */
  readonly patienceMs: number
}

/** What came of a run. Every count of what must not be is 0 in a good one; see `faultsOf`. */
export type FailoverOutcome = {
  readonly failovers: number
  readonly switchovers: number
  readonly acknowledged: number
  /** Answers of 503, which clients repeat. */
  readonly unavailable: number
  /** Answers that were neither good nor 503. */
  readonly failed: number
  /** The first of them, in words. */
  readonly failures: readonly string[]
  /** Requests whose connection ended, as one does that was idle just before; clients repeat them. */
  readonly unanswered: number
  /** Nodes that ended by themselves. */
  readonly crashes: number
  /** Acknowledged and not stored. */
  readonly lost: number
  /** Identifiers of tasks that were given twice. */
  readonly idsGivenTwice: number
  /** Events that a subscriber was shown and the log does not have. */
  readonly ghosts: number
  /** Events that a subscriber was shown twice without having been told to read everything again. */
  readonly twice: number
  /** Events that a subscriber missed without having been told. */
  readonly missed: number
  /** Subscribers that went on without reading everything again, of all there were at the switchovers, in percent. */
  readonly wentOnAtSwitchover: number
  readonly wentOnAtFailover: number
  /** Committed and not delivered to the webhook. */
  readonly undelivered: number
  /** How deliveries stand that have not been made, in words: which attempt failed, why, and when the next one is due. */
  readonly waiting: readonly string[]
  /** Values of `webhook-id` that stood for more than one change. */
  readonly ambiguous: number
  /** From the end of a primary until the first answer of 201, at worst. */
  readonly worstGapMs: number
}

const loggedEvents = statement(
  "failover_events",
  "select id, list_id, list_revision from events where list_id = any($1::bigint[]) order by id",
  ([id, listId, revision]): Logged => ({ id: id as string, listId: listId as string, listRevision: Number(revision) }),
)

const waitingDeliveries = statement(
  "waiting_deliveries",
  `select concat_ws(', ', count(*), status, attempts || ' attempts', fault, case when lease is not null then 'leased' end,
     'due in ' || round(extract(epoch from min(due_at) - now())) || ' s')
   from webhook_deliveries where status <> 'delivered' group by status, attempts, fault, lease is not null order by count(*) desc limit 10`,
  ([text]) => text as string,
)

const storedTasks = statement(
  "failover_tasks",
  "select id from tasks where list_id = any($1::bigint[])",
  ([id]) => id as string,
)

/** What is not as it must be, by name. */
export const faultsOf = (outcome: FailoverOutcome): string[] => [
  ...(
    ["failed", "crashes", "lost", "idsGivenTwice", "ghosts", "twice", "missed", "undelivered", "ambiguous"] as const
  ).filter((name) => outcome[name] !== 0),
  ...(outcome.switchovers > 0 && outcome.wentOnAtSwitchover < 99 ? ["wentOnAtSwitchover"] : []),
]

type Node = { readonly url: string; readonly process: ChildProcess }

async function startNode(databaseUrl: string, dataDir: string): Promise<Node> {
  const child = spawn(process.execPath, [NODE_PROGRAM, databaseUrl, dataDir, "{}"], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const [line] = await once(child.stdout, "data")
  return { url: String(line).trim(), process: child }
}

/**
 * Writes to two nodes on a primary with a synchronous standby, takes the primary away again and again, and compares what clients,
 * subscribers and a webhook were told with what is stored. Needs what `npm run build` makes, Debian's `postgresql-15`, and root.
 */
export async function runFailovers(plan: FailoverPlan): Promise<FailoverOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "tandem-failover-"))
  chmodSync(folder, 0o755)
  const pair = await startPair(folder)
  const receiver = await startReceiver((response) => response.writeHead(204).end())
  const nodes: Node[] = []
  const database = openDatabase(pair.url)
  const ends: (() => Promise<unknown>)[] = []
  try {
    const files = join(folder, "files")
    nodes.push(await startNode(pair.url, files), await startNode(pair.url, files))
    const [first, second] = nodes as [Node, Node]
    const ann = await makePerson({ url: first.url, database })
    const lists = await Promise.all(Array.from({ length: LISTS }, (_, index) => makeList(ann, `List ${index}`)))
    for (const list of lists) await makeHook(ann, list, receiver.url)
    const ofAccount = [first, second].map(({ url }) => startSubscriber(ann, url, undefined))
    const ofLists = [first, second].flatMap(({ url }) => lists.map((list) => startSubscriber(ann, url, list.id)))
    const subscribers = [...ofAccount, ...ofLists]
    ends.push(...subscribers.map(({ stop }) => stop))
    // Each has been shown something of each of its lists before anything is counted.
    const isListening = () =>
      ofAccount.every((one) => one.lists() === LISTS) && ofLists.every((one) => one.lists() === 1)
    while (!isListening()) {
      for (const list of lists) await makeTask(ann, list)
      await sleep(200)
    }

    const made: string[] = []
    let unavailable = 0
    const failures: string[] = []
    let unanswered = 0
    let isOver = false
    let brokenAt: number | undefined
    let worstGapMs = 0

    async function write(index: number): Promise<void> {
      const clients = [first, second].map(({ url }) => createClient(url, ann.credentials))
      for (let count = index; !isOver; count++) {
        const list = lists[count % LISTS]
        const reply = await clients[count % 2]
          ?.post("/tasks", { list_id: list.id, title: `Task ${count}` })
          .catch(() => undefined)
        if (reply?.status === 201) {
          made.push(String(reply.body.id))
          if (brokenAt !== undefined) worstGapMs = Math.max(worstGapMs, performance.now() - brokenAt)
          brokenAt = undefined
        } else if (reply?.status === 503) {
          unavailable++
          await sleep(50)
        } else if (reply === undefined) unanswered++
        else failures.push(`${reply.status} ${JSON.stringify(reply.body)}`)
      }
    }
    const writers = Array.from({ length: WRITERS }, (_, index) => write(index))

    /** Takes the primary away; half of the subscribers lose their connection at the same time. Gives the subscribers that had to start again. */
    async function disturb(handOver: () => Promise<void>): Promise<number> {
      await sleep(plan.quietMs)
      const before = subscribers.map(({ resyncs }) => resyncs())
      const beganAt = performance.now()
      const handed = handOver()
      for (const [index, subscriber] of subscribers.entries()) if (index % 2 === 0) subscriber.cut()
      await handed
      brokenAt = beganAt
      await pair.repair()
      await sleep(plan.quietMs)
      return subscribers.filter(({ resyncs }, index) => resyncs() !== before[index]).length
    }
    let resyncedAtSwitchover = 0
    for (let count = 0; count < plan.switchovers; count++) resyncedAtSwitchover += await disturb(pair.switchOver)
    let resyncedAtFailover = 0
    for (let count = 0; count < plan.failovers; count++) resyncedAtFailover += await disturb(pair.failOver)
    isOver = true
    await Promise.all(writers)

    const ids = [lists.map(({ id }) => id)]
    const logged = await database.run(loggedEvents, ids)
    const stored = new Set(await database.run(storedTasks, ids))
    const delivered = () => new Set(receiver.received.map(toldBy))
    const deadline = performance.now() + plan.patienceMs
    const isLevel = () => subscribers.every((one) => one.missed(logged).length === 0)
    const committed = logged.filter(({ id }) => BigInt(id) >= BigInt(subscribers[0]?.firstEvent() ?? 0))
    while (performance.now() < deadline && !(isLevel() && committed.every((one) => delivered().has(changeOf(one)))))
      await sleep(100)

    const known = new Set(logged.map(({ id }) => id))
    const changesOfId = new Map<string, Set<string>>()
    for (const one of receiver.received) {
      const id = String(one.headers["webhook-id"])
      changesOfId.set(id, (changesOfId.get(id) ?? new Set()).add(toldBy(one)))
    }
    const told = delivered()
    const waiting = await database.run(waitingDeliveries, [])
    const share = (resynced: number, times: number) =>
      times === 0 ? 100 : Math.round((1 - resynced / (times * subscribers.length)) * 1_000) / 10
    return {
      failovers: plan.failovers,
      switchovers: plan.switchovers,
      acknowledged: made.length,
      unavailable,
      failed: failures.length,
      failures: failures.slice(0, 10),
      unanswered,
      crashes: nodes.filter(({ process: { exitCode, signalCode } }) => exitCode !== null || signalCode !== null).length,
      lost: made.filter((id) => !stored.has(id)).length,
      idsGivenTwice: made.length - new Set(made).size,
      ghosts: sum(subscribers.map((one) => one.shown().filter((id) => !known.has(id)).length)),
      twice: sum(subscribers.map((one) => one.twice())),
      missed: sum(subscribers.map((one) => one.missed(logged).length)),
      wentOnAtSwitchover: share(resyncedAtSwitchover, plan.switchovers),
      wentOnAtFailover: share(resyncedAtFailover, plan.failovers),
      undelivered: committed.filter((one) => !told.has(changeOf(one))).length,
      waiting,
      ambiguous: [...changesOfId.values()].filter((changes) => changes.size > 1).length,
      worstGapMs: Math.round(worstGapMs),
    }
  } finally {
    await Promise.all(ends.map((end) => end()))
    for (const node of nodes) node.process.kill("SIGKILL")
    await receiver.stop()
    await database.stop()
    await pair.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const changeOf = ({ listId, listRevision }: Logged): string => `${listId}/${listRevision}`
const toldBy = ({ body }: { body: any }): string => `${body.list_id}/${body.list_revision}`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

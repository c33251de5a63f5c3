import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"
import pg from "pg"
import { type Copy, copyOf, everything, shown, stable } from "../changes/copy.js"
import { type Actor, dice, disturb } from "../changes/disturb.js"
import { type Client, createClient } from "../support/client.js"
import { makePerson, type Person } from "../support/make.js"
import { type Cluster, startCluster } from "./cluster.js"

export type SyncPlan = {
  /** Each has two people of its own. */
  readonly rounds: number
  /** Attempts to write in each round. */
  readonly writes: number
  /** In every so many rounds the database is restarted, by turns in order and as after a crash. */
  readonly restartEvery: number
  /** So long a transaction stays open in each round while others commit. */
  readonly heldMs: number
  readonly isDurable: boolean
}

/** What came of a run. `unequal`, `resyncs`, `missing` and `crashes` must be 0. */
export type SyncOutcome = {
  readonly rounds: number
  readonly acknowledged: number
  /** Refused by a rule, or without an answer. */
  readonly refused: number
  readonly kills: number
  readonly databaseRestarts: number
  readonly pages: number
  readonly changes: number
  /** Pages that did not come, or that their reader lost. */
  readonly pagesLost: number
  readonly compared: number
  /** Copies that were not what a GET of everything shows. */
  readonly unequal: number
  /** How often a copy was told to begin again, with nothing restored. */
  readonly resyncs: number
  /** Writes of transactions that committed late which no copy was shown. */
  readonly missing: number
  /** Nodes that ended by themselves. */
  readonly crashes: number
  readonly seconds: number
}

const WRITERS = 4
const PATIENCE_MS = 60_000

/** A person whose requests go to any node that answers. */
function roaming(person: Person, cluster: Cluster, roll: (sides: number) => number): Actor {
  const here = (): Client => {
    const node = cluster.nodes[roll(Math.max(cluster.nodes.length, 1))]
    if (node === undefined) throw new Error("no node answers")
    return createClient(node.url, person.credentials)
  }
  return {
    id: person.id,
    get: async (path, headers) => here().get(path, headers),
    post: async (path, body, headers) => here().post(path, body, headers),
    patch: async (path, body, headers) => here().patch(path, body, headers),
    delete: async (path, body, headers) => here().delete(path, body, headers),
  }
}

/**
 * Keeps copies of accounts level by cursors while their people write to two nodes, nodes are killed, the database is restarted,
 * answers are lost and a transaction commits late; compares each copy with a GET of everything. Needs what `npm run build` makes.
 */
export async function runSync(plan: SyncPlan): Promise<SyncOutcome> {
  const beganAt = performance.now()
  const cluster = await startCluster({ isDurable: plan.isDurable })
  const sums = { acknowledged: 0, refused: 0, kills: 0, databaseRestarts: 0, pages: 0, changes: 0, pagesLost: 0 }
  const faults = { compared: 0, unequal: 0, resyncs: 0, missing: 0 }

  /** One page, unless it is lost on the way. */
  async function read(copy: Copy, limit: number): Promise<void> {
    try {
      const { changes } = await copy.page(limit)
      sums.pages++
      sums.changes += changes.length
    } catch (error) {
      if ((error as { status?: number }).status === 410) {
        faults.resyncs++
        copy.cursor = undefined
      } else if (String(error).includes("twice on a page")) throw error
      else {
        sums.pagesLost++
        await sleep(50)
      }
    }
  }

  async function level(copy: Copy): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; ; ) {
      try {
        await copy.level()
        return
      } catch (error) {
        if (performance.now() > end) throw error
        await sleep(100)
      }
    }
  }

  /** Commits a task late, behind everything else of the round. False when the restart has ended it. */
  async function commitLate({ inboxId, id }: Person, title: string): Promise<boolean> {
    const client = new pg.Client({ connectionString: cluster.databaseUrl })
    client.on("error", () => {})
    try {
      await client.connect()
      await client.query("begin")
      await client.query("insert into tasks (list_id, title, created_by_id, updated_by_id) values ($1, $2, $3, $3)", [
        inboxId,
        title,
        id,
      ])
      await sleep(plan.heldMs)
      await client.query("commit")
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function round(number: number): Promise<void> {
    const roll = dice(number)
    await cluster.whole()
    const where = { url: cluster.nodes[0]?.url as string, database: cluster.database }
    const persons = [await makePerson(where), await makePerson(where, "Bob")] as const
    const people = persons.map((person) => roaming(person, cluster, roll)) as unknown as [Actor, Actor]
    const copies = people.map((one) => copyOf(one))
    const restartsAt = number % plan.restartEvery === 0 ? roll(plan.writes) : -1
    const killsAt = roll(plan.writes)
    let begun = 0
    let isOver = false

    async function write(): Promise<void> {
      while (begun < plan.writes) {
        const turn = begun++
        if (turn === killsAt && cluster.nodes.length > 0) {
          sums.kills++
          cluster.nodes[roll(cluster.nodes.length)]?.process.kill("SIGKILL")
        }
        if (turn === restartsAt) cluster.restartDatabase(sums.databaseRestarts++ % 2 === 0 ? "SIGINT" : "SIGQUIT")
        const reply = await disturb(roll, people).catch(() => undefined)
        if (reply !== undefined && reply.status < 300) sums.acknowledged++
        else sums.refused++
        if (reply === undefined) await sleep(50)
      }
    }
    async function mirror(copy: Copy, one: Actor): Promise<void> {
      while (!isOver) {
        await read(copy, 1 + roll(20))
        if (roll(5) > 0 || copy.cursor === undefined) continue
        sums.pagesLost++ // the answer came and its reader did not see it
        await one.get(`/changes?after=${copy.cursor}&limit=${1 + roll(20)}`).catch(() => {})
      }
    }
    const title = `Late ${number}`
    const late = commitLate(persons[0], title)
    const mirrors = Promise.all(copies.map((copy, index) => mirror(copy, people[index] as Actor)))
    await Promise.all(Array.from({ length: WRITERS }, write))
    const isCommitted = await late
    isOver = true
    await mirrors
    await cluster.whole()
    for (const [index, copy] of copies.entries()) {
      await level(copy)
      const found = await everything(people[index] as Actor)
      faults.compared++
      const differences = differencesOf(stable(shown(copy, Object.keys(found))), stable(found))
      if (differences.length === 0) continue
      faults.unequal++
      console.error(`round ${number}, copy ${index} is not level:\n${differences.join("\n")}`)
    }
    const isShown = copies[0]?.all("task").some((task) => task.title === title)
    if (isCommitted && !isShown && (await isThere(persons[0], title))) faults.missing++
  }

  const isThere = async ({ inboxId, credentials }: Person, title: string): Promise<boolean> => {
    const client = createClient(cluster.nodes[0]?.url as string, credentials)
    return (await client.get(`/tasks?list_id=${inboxId}`)).body.some((task: any) => task.title === title)
  }

  try {
    for (let number = 1; number <= plan.rounds; number++) await round(number)
    return {
      rounds: plan.rounds,
      ...sums,
      ...faults,
      crashes: cluster.crashes(),
      seconds: Math.round((performance.now() - beganAt) / 1_000),
    }
  } finally {
    await cluster.stop()
  }
}

/** Without the address of the node that gave it, which is in those of pictures. */
const anywhere = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, ""))

/** The objects that two hold differently, as lines. */
function differencesOf(kept: Record<string, any[]>, truth: Record<string, any[]>): string[] {
  return Object.keys(truth).flatMap((type) => {
    const byId = (all: any[] = []) => new Map(all.map((one) => [one.id, one]))
    const [mine, theirs] = [byId(kept[type]), byId(truth[type])]
    return [...new Set([...mine.keys(), ...theirs.keys()])]
      .filter((id) => !isDeepStrictEqual(anywhere(mine.get(id)), anywhere(theirs.get(id))))
      .map((id) => `${type} ${id}: ${JSON.stringify(mine.get(id))} instead of ${JSON.stringify(theirs.get(id))}`)
  })
}

/** What of an outcome must be 0 and is not. */
export const faultsOf = (outcome: SyncOutcome): string[] =>
  (["unequal", "resyncs", "missing", "crashes"] as const).filter((name) => outcome[name] !== 0)

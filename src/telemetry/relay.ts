import cluster, { type Worker } from "node:cluster"
import { randomUUID } from "node:crypto"
import type { Reading } from "./reading.js"

/** A process that says nothing for so long is left out: a scrape of the others is better than none. */
const PATIENCE_MS = 2_000

/** What the processes of one node say to each other: one asks the first, which asks all and hands their readings back. */
type Message = { readonly metrics: "ask" | "give" | "given" | "all"; readonly id: string; readonly readings?: unknown }

const asMessage = (message: unknown): Message | undefined =>
  typeof message === "object" && message !== null && "metrics" in message ? (message as Message) : undefined

/** In the process that started the workers: asks all of them whenever one is asked for the metrics of the node. */
export function relayReadings(): void {
  const rounds = new Map<string, { readonly readings: unknown[]; missing: number; end(): void }>()

  function ask(asker: Worker, id: string): void {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[]
    const timer = setTimeout(() => rounds.get(id)?.end(), PATIENCE_MS)
    const readings: unknown[] = []
    rounds.set(id, {
      readings,
      missing: workers.length,
      end() {
        clearTimeout(timer)
        rounds.delete(id)
        if (asker.isConnected()) asker.send({ metrics: "all", id, readings } satisfies Message)
      },
    })
    for (const worker of workers) worker.send({ metrics: "give", id } satisfies Message)
  }

  cluster.on("message", (worker, received) => {
    const message = asMessage(received)
    if (message?.metrics === "ask") ask(worker, message.id)
    const round = message?.metrics === "given" ? rounds.get(message.id) : undefined
    if (message === undefined || round === undefined) return
    round.readings.push(message.readings)
    if (--round.missing === 0) round.end()
  })
}

/** The processes of this node. */
export type Siblings = {
  /** The readings of each of them, this one's too. */
  all(): Promise<Reading[][]>
  stop(): void
}

/** In a process that serves: answers for itself, and asks for all. */
export function createSiblings(read: () => Promise<Reading[]>): Siblings {
  const worker = cluster.worker
  if (worker === undefined) return { all: async () => [await read()], stop: () => {} }
  const waiting = new Map<string, (all: Reading[][]) => void>()

  function hear(received: unknown): void {
    const message = asMessage(received)
    if (message?.metrics === "give")
      read().then(
        (readings) => worker?.send({ metrics: "given", id: message.id, readings } satisfies Message),
        () => {}, // it is left out
      )
    if (message?.metrics === "all") waiting.get(message.id)?.(message.readings as Reading[][])
  }

  process.on("message", hear)
  return {
    async all() {
      const id = randomUUID()
      const answer = new Promise<Reading[][]>((resolve) => waiting.set(id, resolve))
      const late = setTimeout(async () => waiting.get(id)?.([await read()]), 2 * PATIENCE_MS)
      worker.send({ metrics: "ask", id } satisfies Message)
      try {
        return await answer
      } finally {
        clearTimeout(late)
        waiting.delete(id)
      }
    },
    stop: () => void process.off("message", hear),
  }
}

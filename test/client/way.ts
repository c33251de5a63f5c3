import { type Client, createClient, type Options, type Store } from "../../src/client/client.js"
import type { Person } from "../support/make.js"

/** A way from a client to the service that can be cut, and that can lose answers that the service has given. */
export type Way = {
  readonly fetch: typeof fetch
  isCut: boolean
  /** Of writes to come: so many are carried out, and their answers never arrive. */
  answersToLose: number
  /** Whether the way is cut by the next loss, before its client can try again. */
  isCutByLoss: boolean
  /** How many were lost. */
  answersLost: number
  /** How many requests went through. */
  requests: number
}

export function makeWay(): Way {
  const way: Way = {
    isCut: false,
    answersToLose: 0,
    isCutByLoss: false,
    answersLost: 0,
    requests: 0,
    async fetch(input, init) {
      if (way.isCut) throw new TypeError("The network is cut.")
      const isWrite = init?.method !== "GET"
      const isLost = isWrite && way.answersToLose > 0
      if (isLost) way.answersToLose--
      // What is under way goes on at the service when its client has gone.
      const response = await fetch(input, isLost ? { ...init, signal: null } : init)
      way.requests++
      if (isLost) {
        way.answersLost++
        way.isCut ||= way.isCutByLoss
      }
      if (isLost || way.isCut) throw new TypeError("The connection was cut.")
      return response
    },
  }
  return way
}

/** A client of somebody, over a way that can be cut: it polls, since a way carries no sockets. */
export function clientOf(person: Person, way: Way, options: Partial<Options> & { store?: Store } = {}): Client {
  return createClient({
    url: person.url,
    headers: () => person.headers,
    fetch: way.fetch,
    carriers: ["poll"],
    ...options,
  })
}

/** Resolves when the client has sent all that it can, and knows all that has happened until now. */
export async function settled(client: Client, patienceMs = 100_000): Promise<void> {
  const until = Date.now() + patienceMs
  const isSettled = () => {
    const { connection, isComplete } = client.view.status()
    return connection === "online" && isComplete && client.view.waiting().length === 0
  }
  while (!isSettled()) {
    if (Date.now() > until)
      throw new Error(`not settled: ${JSON.stringify([client.view.status(), client.view.waiting()])}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

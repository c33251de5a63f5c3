import cluster from "node:cluster"
import { setImmediate as nextTurn } from "node:timers/promises"

type Message = { readonly acceptTurn: "ask" | "over" }

const isTurn = (message: unknown, what: Message["acceptTurn"]): boolean =>
  typeof message === "object" && message !== null && (message as Partial<Message>).acceptTurn === what

/** In the process that started the workers, which accepts connections for all of them: tells each that asks when a turn is over. */
export function tellAcceptTurns(): void {
  cluster.on("message", (worker, message) => {
    if (isTurn(message, "ask") && worker.isConnected()) worker.send({ acceptTurn: "over" } satisfies Message)
  })
}

/**
 * Resolves when a server of this process has been given a connection, if one waited to be accepted: after a turn of the event
 * loop, in a worker after one of the process that accepts. That hands over one at a time, in order with what it says.
 */
export async function acceptTurn(): Promise<void> {
  const { worker } = cluster
  if (worker === undefined) return nextTurn()
  const over = new Promise<void>((resolve) => {
    process.on("message", function hear(message) {
      if (!isTurn(message, "over")) return
      process.off("message", hear)
      resolve()
    })
  })
  worker.send({ acceptTurn: "ask" } satisfies Message)
  await over
}

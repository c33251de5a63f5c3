import type { EventEmitter } from "node:events"
import pg from "pg"
import { isReadOnly } from "./failure.js"
import { sessionOf } from "./pipeline.js"

/** For a connection that is free, when many ask at once; a server that is not there is known sooner. */
const FREE_WITHIN_MS = 10_000

/**
 * A pool of connections in our session. Errors of its connections go to the statements that they break, and nowhere else, even
 * after its end: it does not wait until the last of them has closed, and the server may end that one with an error.
 */
export function openPool(url: string, config: pg.PoolConfig, more = ""): pg.Pool {
  const { connectionTimeoutMillis, ...session } = sessionOf(url, more)
  // The pool's time counts for both; a client has one of its own to connect.
  const Client = class extends pg.Client {
    constructor(options: pg.ClientConfig) {
      super({ ...options, connectionTimeoutMillis })
    }
  } as unknown as new () => pg.ClientBase
  const patience = { idleTimeoutMillis: 30_000, connectionTimeoutMillis: FREE_WITHIN_MS, allowExitOnIdle: true }
  const pool = new pg.Pool({ ...session, ...patience, Client, ...config })
  pool.on("error", () => {}) // an idle connection that breaks is replaced when it is needed
  // Of one that breaks while it is used, the statement is rejected with the same.
  pool.on("connect", (client) => client.on("error", () => {}))
  dropReadOnly(pool)
  return pool
}

/** A connection that leads to a server which takes no writes any more is not used again. */
function dropReadOnly(pool: pg.Pool): void {
  const dropped = new WeakSet<pg.PoolClient>()
  pool.on("connect", (client) => {
    const { connection } = client as unknown as { connection: EventEmitter }
    connection.on("errorMessage", (error: Error) => {
      if (isReadOnly(error)) dropped.add(client)
    })
  })
  pool.on("release", (_, client) => {
    if (dropped.has(client)) void (client as unknown as pg.Client).end()
  })
}

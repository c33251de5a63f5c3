import pg from "pg"
import type { Actor, RunQuery } from "../context.js"
import type { PrismaClient } from "../generated/prisma/client.js"
import { lazyPrisma } from "./lazy-prisma.js"

/** Prisma over a pool. Its client is made by the first query: it takes tens of milliseconds, and is kept. */
export type OpenPrisma = {
  /** Without an actor: for what nobody has asked for, or whose rows name who did. */
  readonly plain: PrismaClient
  /**
   * Says to the triggers who writes, in one transaction with a write that does not say so itself: a delete, whose row is gone,
   * and any write whose application some webhook leaves out. `around` is given each query with all that this takes.
   */
  as(actor: Actor, around?: RunQuery): PrismaClient
  stop(): Promise<void>
}

const alone: RunQuery = (query) => query()

/** The queries of `run`, each within `around`. */
const within =
  (around: RunQuery, run: RunQuery): RunQuery =>
  (query) =>
    around(() => run(query))

/** @param run is given each query, or each write with its actor, to run it */
export function openPrisma(pool: pg.Pool, run: RunQuery): OpenPrisma {
  let loading: Promise<PrismaClient> | undefined
  const load = (): Promise<PrismaClient> => {
    loading ??= loadPrisma(pool)
    return loading
  }
  return {
    plain: clientOf(load, run),
    as: (actor, around = alone) =>
      clientOf(load, within(around, run), async (client, query, operation) => {
        if (actor.writer === null && !DELETES.test(operation)) return query
        const [, result] = await client.$transaction([nameActor(client, actor), query])
        return result
      }),
    async stop() {
      await loading?.then((client) => client.$disconnect())
    },
  }
}

/** Of a connection, the client that its transactions use: one at a time. */
const clients = new WeakMap<pg.PoolClient, Promise<PrismaClient>>()

/** Prisma within a transaction that has been begun on a connection, to which the actor is said once. */
export function prismaInside(connection: pg.PoolClient, run: RunQuery): Pick<OpenPrisma, "plain" | "as"> {
  const load = (): Promise<PrismaClient> => {
    const known = clients.get(connection) ?? loadPrisma(poolOf(connection))
    clients.set(connection, known)
    return known
  }
  return {
    plain: clientOf(load, run),
    as: (actor, around = alone) => {
      let named: Promise<unknown> | undefined
      return clientOf(load, within(around, run), async (client, query) => {
        named ??= nameActor(client, actor)
        await named
        return query
      })
    },
  }
}

type Query = ReturnType<PrismaClient["$queryRaw"]>
type Write = (client: PrismaClient, query: Query, operation: string) => Promise<unknown>

const WRITES = /^(create|update|upsert|delete)/
const DELETES = /^delete/
/** Nothing of ours waits longer; what a transaction of a write waits for is a connection. */
const TRANSACTION = { maxWait: 10_000, timeout: 10_000 }

function clientOf(load: () => Promise<PrismaClient>, run: RunQuery, write: Write = (_, query) => query): PrismaClient {
  let extended: Promise<PrismaClient> | undefined
  return lazyPrisma(() => {
    extended ??= load().then(
      (client) =>
        client.$extends({
          query: {
            $allOperations: ({ operation, args, query }) =>
              run(() =>
                WRITES.test(operation) ? write(client, query(args) as unknown as Query, operation) : query(args),
              ),
          },
        }) as unknown as PrismaClient,
    )
    return extended
  })
}

/** Until the end of the transaction. */
const nameActor = (client: PrismaClient, { userId, requestId, writer }: Actor): Query =>
  client.$queryRaw`select set_config('tandem.actor_id', ${userId}, true), set_config('tandem.request_id', ${requestId}, true),
    set_config('tandem.writer', ${writer ?? ""}, true)`

async function loadPrisma(pool: pg.Pool): Promise<PrismaClient> {
  const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
    import("@prisma/adapter-pg"),
    import("../generated/prisma/client.js"),
  ])
  return new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: TRANSACTION })
}

/** What Prisma takes for a pool, whose only connection is that of a transaction. */
const poolOf = (client: pg.PoolClient): pg.Pool =>
  Object.assign(Object.create(pg.Pool.prototype) as pg.Pool, {
    options: {},
    query: client.query.bind(client),
    on() {},
    removeListener() {},
  })

import type pg from "pg"
import type { Database } from "../context.js"
import type { PrismaClient } from "../generated/prisma/client.js"
import type { Runner } from "../statement.js"
import { mayRepeat, problemOf } from "./failure.js"
import { lazyPrisma } from "./lazy-prisma.js"
import { openPipeline, rawText, repeated, runOn } from "./pipeline.js"
import { openPool } from "./pool.js"

const PIPELINED_CONNECTIONS = 4
const POOLED_CONNECTIONS = 6

/** One pool of connections: how many are open, how many of these are in use, and how many statements or takers wait. */
export type PoolStatus = { readonly open: number; readonly busy: number; readonly waiting: number }

/** The database of one node. */
export type DatabaseClient = Database & {
  /**
   * Runs `work` in one transaction on a connection of its own; it is rolled back when `work` throws and run again, at most
   * three times, after a deadlock.
   * @throws Unavailable when the database cannot be reached
   */
  transaction<Result>(work: (runner: Runner) => Promise<Result>): Promise<Result>
  /** For metrics: its pools. Of the pipeline, which takes everything at once, what waits is what has no answer yet. */
  status(): { readonly pools: Readonly<Record<"pipeline" | "prisma" | "transactions", PoolStatus>> }
  stop(): Promise<void>
}

/** Opens the database at `url`. Nothing is connected before it is needed. */
export function openDatabase(url: string): DatabaseClient {
  const pipeline = openPipeline(url, PIPELINED_CONNECTIONS)
  const pool = openPool(url, { max: POOLED_CONNECTIONS })
  // The pool's connections parse types for Prisma; transactions read raw text, so they have clients of their own.
  const transactions = openPool(url, { max: POOLED_CONNECTIONS, types: rawText })
  let loading: Promise<PrismaClient> | undefined
  async function loadPrisma(): Promise<PrismaClient> {
    const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
      import("@prisma/adapter-pg"),
      import("../generated/prisma/client.js"),
    ])
    // A Prisma statement fails like any other: repeated after a deadlock, then told as a problem.
    return new PrismaClient({ adapter: new PrismaPg(pool) }).$extends({
      query: { $allOperations: ({ args, query }) => repeated(() => query(args)) },
    }) as unknown as PrismaClient
  }
  const prisma = lazyPrisma(() => {
    loading ??= loadPrisma()
    return loading
  })

  return {
    run: pipeline.run,
    pinned: pipeline.pinned,
    prisma,
    transaction: (work) =>
      repeated(async () => {
        const client = await transactions.connect()
        // An operation turns what its statements throw into an error of its own, so what may be repeated is kept aside.
        let gaveUp: unknown
        const run: Runner["run"] = (statement, values) =>
          runOn(client, statement, values).catch((error) => {
            if (mayRepeat(error)) gaveUp = error
            throw problemOf(error)
          })
        let broken: Error | undefined
        try {
          await client.query("begin")
          const result = await work({ run })
          await client.query("commit")
          return result
        } catch (error) {
          await client.query("rollback").catch((failure: Error) => {
            broken = failure
          })
          throw gaveUp ?? error
        } finally {
          client.release(broken)
        }
      }),
    status() {
      const { open, waiting } = pipeline.status()
      return {
        pools: {
          pipeline: { open, busy: Math.min(open, waiting), waiting },
          prisma: statusOf(pool),
          transactions: statusOf(transactions),
        },
      }
    },
    async stop() {
      await loading?.then((client) => client.$disconnect())
      await Promise.all([pipeline.stop(), pool.end(), transactions.end()])
    },
  }
}

const statusOf = ({ totalCount, idleCount, waitingCount }: pg.Pool): PoolStatus => ({
  open: totalCount,
  busy: totalCount - idleCount,
  waiting: waitingCount,
})

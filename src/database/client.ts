import type pg from "pg"
import type { Quotas } from "../config/quota-config.js"
import type { Database, Inside } from "../context.js"
import type { Runner } from "../statement.js"
import { endsTransaction, mayRepeat, problemOf } from "./failure.js"
import { openPipeline, type Pipeline, rawText, repeated, runOn } from "./pipeline.js"
import { openPool } from "./pool.js"
import { openPrisma, prismaInside } from "./prisma.js"
import { quotaSettings } from "./quotas.js"

const PIPELINED_CONNECTIONS = 4
const SEARCHING_CONNECTIONS = 2
const POOLED_CONNECTIONS = 6

/** One pool of connections: how many are open, how many of these are in use, and how many statements or takers wait. */
export type PoolStatus = { readonly open: number; readonly busy: number; readonly waiting: number }

/** All connections of a node to its database; statements that decide several rows together take a transaction. */
export type DatabaseClient = Database & {
  /**
   * Runs `work` in one transaction on a connection of its own; it is rolled back when `work` throws and run again, at most
   * three times, after a deadlock.
   * @param mayGoOn asked before each statement, Prisma's too; what it throws is the statement's failure
   * @throws Unavailable when the database cannot be reached
   */
  transaction<Result>(work: (inside: Inside) => Promise<Result>, mayGoOn?: () => void): Promise<Result>
  /** For metrics: its pools. Of the pipeline, which takes everything at once, what waits is what has no answer yet. */
  status(): { readonly pools: Readonly<Record<"pipeline" | "searches" | "prisma" | "transactions", PoolStatus>> }
  stop(): Promise<void>
}

/** Opens the database at `url`. Nothing is connected before it is needed. @param quotas held by triggers, for what is written here */
export function openDatabase(url: string, quotas?: Quotas): DatabaseClient {
  const settings = quotaSettings(quotas)
  const pipeline = openPipeline(url, PIPELINED_CONNECTIONS, undefined, settings)
  const searching = openPipeline(url, SEARCHING_CONNECTIONS, undefined, settings)
  const pool = openPool(url, { max: POOLED_CONNECTIONS }, settings)
  // The pool's connections parse types for Prisma; transactions read raw text, so they have clients of their own.
  const transactions = openPool(url, { max: POOLED_CONNECTIONS, types: rawText }, settings)
  // A query of Prisma fails like any other: repeated after a deadlock, then told as a problem.
  const prisma = openPrisma(pool, repeated)

  return {
    run: pipeline.run,
    pinned: pipeline.pinned,
    searching,
    prisma: prisma.plain,
    prismaAs: prisma.as,
    transaction: (work, mayGoOn) =>
      repeated(async () => {
        const client = await transactions.connect()
        // What PostgreSQL refused first. An operation turns what its statements throw into an error of its own, so it is kept aside;
        // and PostgreSQL would refuse whatever follows for its sake.
        let refused: unknown
        // The connection takes one statement at a time.
        let last: Promise<unknown> = Promise.resolve()
        function inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
          const answer = last
            .then(() => {
              if (refused !== undefined) throw refused
              mayGoOn?.()
              return ask()
            })
            .catch((error: unknown) => {
              if (endsTransaction(error)) refused = error
              throw problemOf(error)
            })
          last = answer.catch(() => {})
          return answer
        }
        const run: Runner["run"] = (statement, values, meter) => inTurn(() => runOn(client, statement, values, meter))
        const { plain, as } = prismaInside(client, inTurn)
        const told: (() => void)[] = []
        const afterCommit = (tell: () => void) => void told.push(tell)
        let broken: Error | undefined
        let result: Awaited<ReturnType<typeof work>>
        try {
          await client.query("begin")
          result = await work({ run, prisma: plain, prismaAs: as, afterCommit })
          await client.query("commit")
        } catch (error) {
          await client.query("rollback").catch((failure: Error) => {
            broken = failure
          })
          throw refused !== undefined && mayRepeat(refused) ? refused : error
        } finally {
          client.release(broken)
        }
        // To commit what PostgreSQL has refused rolls it back.
        if (refused === undefined) for (const tell of told) tell()
        return result
      }),
    status() {
      return {
        pools: {
          pipeline: statusOfPipeline(pipeline),
          searches: statusOfPipeline(searching),
          prisma: statusOf(pool),
          transactions: statusOf(transactions),
        },
      }
    },
    async stop() {
      await prisma.stop()
      await Promise.all([pipeline.stop(), searching.stop(), pool.end(), transactions.end()])
    },
  }
}

function statusOfPipeline(pipeline: Pipeline): PoolStatus {
  const { open, waiting } = pipeline.status()
  return { open, busy: Math.min(open, waiting), waiting }
}

const statusOf = ({ totalCount, idleCount, waitingCount }: pg.Pool): PoolStatus => ({
  open: totalCount,
  busy: totalCount - idleCount,
  waiting: waitingCount,
})

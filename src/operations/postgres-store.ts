import { createHash } from "node:crypto"
import { type Runner, statement } from "../statement.js"
import type { BudgetStore, Policy } from "./budget.js"

// The table counts failed attempts too; its rows are collected when their windows have ended.
const take = statement(
  "take_from_budget",
  `insert into attempts as a (key, count, expires_at) values ($1, $2::int, now() + $3::int * interval '1 ms')
   on conflict (key) do update set
     count = case when a.expires_at > now() then least(a.count, 1000000000) + excluded.count else excluded.count end,
     expires_at = case when a.expires_at > now() then a.expires_at else excluded.expires_at end
   returning count, extract(epoch from expires_at - now()) * 1000`,
  ([count, ms]) => ({ count: Number(count), resetInMs: Math.max(1, Number(ms)) }),
)

/** Counts in the database. */
export const postgresStore = (db: Runner, { limit, windowMs }: Policy): BudgetStore => ({
  async take(key, wanted) {
    const hash = createHash("sha256").update(`budget ${key}`).digest()
    const [found] = await db.run(take, [hash, wanted, windowMs])
    const { count, resetInMs } = found as NonNullable<typeof found>
    const before = limit - (count - wanted)
    return { granted: Math.max(0, Math.min(wanted, before)), left: Math.max(0, limit - count), resetInMs }
  },
  stop: async () => {},
})

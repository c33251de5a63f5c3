import { type Runner, statement } from "../../src/statement.js"
import { eventually } from "../live/listener.js"

const waiting = statement(
  "test_waiting_for_locks",
  "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  ([count]) => Number(count),
)

/** Resolves when a connection to the database waits for a lock. */
export const untilLocked = ({ database }: { readonly database: Runner }): Promise<void> =>
  eventually(async () => (await database.run(waiting, []))[0] !== 0)

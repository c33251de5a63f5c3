import type { Runner } from "../statement.js"
import { forgetStamps } from "./calendar-stamps.statements.js"

const EVERY_MS = 3_600_000

/** A job that forgets since when calendars showed tasks which are gone. */
export const calendarMaintenance = (database: Runner) => ({
  "forget-calendar-stamps": { everyMs: EVERY_MS, run: async () => void (await database.run(forgetStamps, [])) },
})

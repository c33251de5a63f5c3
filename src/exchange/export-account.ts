import type { DatabaseClient } from "../database/client.js"
import type { Id } from "../statement.js"
import { countToExport, freeze, takeTime } from "./export.statements.js"
import { writeBackup } from "./write-backup.js"
import { writeCalendar } from "./write-calendar.js"
import { writeCsv } from "./write-csv.js"

/** The formats in which an account is written. */
export const EXPORT_FORMATS = ["json", "csv", "ics"] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Whose account is written, and how. */
export type Export = {
  readonly user: { readonly id: Id; readonly name: string }
  readonly format: ExportFormat
  /** The host's name, which makes names in a calendar unique. */
  readonly host: string
  readonly now: Date
}

/**
 * Reads all that a user can see as it is in one moment, piece by piece, for as long as `write` takes.
 * @param write is given the pieces, and the number of tasks in them
 */
export const exportAccount = <Result>(
  database: DatabaseClient,
  { user, format, host, now }: Export,
  write: (pieces: AsyncIterable<string>, tasks: number) => Promise<Result>,
): Promise<Result> =>
  database.transaction(async (runner) => {
    await runner.run(freeze, [])
    await runner.run(takeTime, [])
    const [tasks = 0] = await runner.run(countToExport, [user.id])
    if (format === "json") return write(writeBackup(runner, user.id, now), tasks)
    if (format === "csv") return write(writeCsv(runner, user.id), tasks)
    const calendar = { name: `Tasks of ${user.name}`, host, as: "tasks" } as const
    return write(writeCalendar(runner, user.id, calendar, database), tasks)
  })

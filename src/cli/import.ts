import { randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { basename, extname } from "node:path"
import { type Command, Option } from "commander"
import { Unavailable } from "../errors.js"
import { type Imported, importLists } from "../exchange/import-lists.js"
import { NoRoom } from "../exchange/import-room.js"
import { FORMATS, type Format, parseImport } from "../exchange/parse-import.js"
import { type ParsedImport, type Remark, UnreadableFile } from "../exchange/parsed-import.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { harmless, print, printAll, strong } from "./print.js"
import { showProgress } from "./progress.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; format?: Format; list: string[]; dryRun?: boolean; again?: boolean; json?: boolean }

const PLACES_SHOWN = 5
/** The most that a file may have: a backup of this size, with 430,000 tasks and 300,000 rows in them, takes 860 MB of memory. */
const MAX_MIB = 64

const collect = (title: string, titles: string[]): string[] => [...titles, title]

/** What a fault of the file begins with. */
const named = (file: string): string => (file === "-" ? "standard input" : file)

/** A file, or standard input, as far as {@link MAX_MIB}: what has no end is not read to it. @throws CommandError */
async function bytesOf(file: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let left = MAX_MIB * 2 ** 20
  try {
    for await (const chunk of file === "-" ? process.stdin : createReadStream(file)) {
      left -= chunk.length
      if (left < 0) break
      chunks.push(chunk)
    }
  } catch (error) {
    throw new CommandError(`${named(file)}: cannot be read: ${(error as Error).message}`)
  }
  if (left < 0)
    throw new CommandError(
      `${named(file)}: has more than ${MAX_MIB} MiB, the most that is read; divide it into several, by list for instance`,
    )
  return Buffer.concat(chunks)
}

function readFileAs(
  file: string,
  bytes: Buffer,
  format: Format | undefined,
  importer: { name: string; email: string },
) {
  try {
    const title = file === "-" ? "" : basename(file, extname(file))
    return parseImport(bytes, format, { importer, title, now: new Date() })
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CommandError(`${named(file)}: ${error.message}`)
    throw error
  }
}

/** What was parsed, of some lists only. @throws CommandError for a title that the file does not have */
function only<Some extends ParsedImport>(parsed: Some, titles: readonly string[]): Some {
  if (titles.length === 0) return parsed
  const known = new Set(parsed.lists.map(({ title }) => title))
  const unknown = titles.find((title) => !known.has(title))
  if (unknown !== undefined)
    throw new CommandError(
      `--list: the file has no list ${JSON.stringify(unknown)}; it has ${[...known].map((title) => JSON.stringify(title)).join(", ")}`,
    )
  return { ...parsed, lists: parsed.lists.filter(({ title }) => titles.includes(title)) }
}

/** Reasons by how often they hold, with the first places of each. */
function printRemarks(remarks: readonly Remark[]): void {
  const byReason = new Map<string, Remark[]>()
  for (const remark of remarks) {
    const title = `${remark.effect}: ${remark.reason}`
    if (!byReason.get(title)?.push(remark)) byReason.set(title, [remark])
  }
  for (const [title, all] of byReason) {
    const places = all.slice(0, PLACES_SHOWN).map(({ place }) => place)
    const more = all.length > PLACES_SHOWN ? `, and ${all.length - PLACES_SHOWN} more; --json has all` : ""
    process.stdout.write(harmless(`\n${title}\n  ${places.join(", ")}${more}\n`))
  }
}

function report({ counts, remarks }: Imported, format: Format, isDryRun: boolean, asJson: boolean): void {
  if (asJson) {
    const skipped = remarks.filter(({ effect }) => effect === "skipped").map(({ place, reason }) => ({ place, reason }))
    const changed = remarks.filter(({ effect }) => effect === "changed").map(({ place, reason }) => ({ place, reason }))
    print({ format, dry_run: isDryRun, ...counts, skipped, changed }, true)
    return
  }
  process.stdout.write(
    `${strong(isDryRun ? `Would be imported from this ${format} file` : `Imported from this ${format} file`)}\n`,
  )
  const rows = Object.entries(counts).map(([what, { made, already }]) => ({
    what,
    [isDryRun ? "to import" : "imported"]: made,
    "already there": already,
  }))
  printAll(rows, false)
  printRemarks(remarks)
}

/** `import`: imports lists from other services. */
export const addImport = (program: Command): Command =>
  program
    .command("import")
    .summary("import lists from another service")
    .description(
      `Imports lists, tasks and their content for one user. Reads a backup of the retired service or of this one, its last
export (Tasks.json), a project of Todoist (CSV) and lists of Microsoft To Do (JSON of Microsoft Graph).

Importing a file again creates nothing twice; an import that was interrupted resumes where it stopped. What cannot be
imported is listed with its place and the reason. Content of files, members and settings are not imported. A file has at most
${MAX_MIB} MiB, about 400,000 tasks; the largest uses up to 1 GB of memory.`,
    )
    .argument("<file>", "the file, or - for standard input")
    .requiredOption("--user <id|email>", "the user who gets the lists")
    .addOption(
      new Option("--format <format>", "the file's format (default: detected from the file)").choices([...FORMATS]),
    )
    .option("--list <title>", "import only the list with this title; can be repeated", collect, [])
    .option("--dry-run", "only show what would be created")
    .option("--again", "create again what was imported before and has been deleted since")
    .option("--json", "print one JSON object: counts, and every row that was skipped or changed")
    .addHelpText(
      "after",
      examples(
        "tandem import wunderlist-backup.json --user ann@example.org --dry-run",
        "tandem import Tasks.json --user ann@example.org",
        "tandem import ann.json --user ann@example.org --list Groceries",
        "tandem import 'Work [2203306141].csv' --user 1 --format todoist --json",
      ),
    )
    .action((file: string, { user, format, list, dryRun = false, again = false, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const importer = await userOf(database, user)
        const parsed = only(readFileAs(file, await bytesOf(file), format, importer), list)
        const total = parsed.lists.reduce((sum, { tasks }) => sum + tasks.length, 0)
        const progress = showProgress("Importing", "tasks")
        let seen = 0
        try {
          const imported = await importLists(database, importer.id, parsed, {
            isDryRun: dryRun,
            isAgain: again,
            requestId: `import-${randomUUID()}`,
            onProgress(tasks) {
              seen = tasks
              progress.at(tasks, total)
            },
          })
          progress.stop()
          report(imported, parsed.format, dryRun, json)
        } catch (error) {
          progress.stop()
          if (error instanceof NoRoom) throw new CommandError(`${named(file)}: ${error.message}.`)
          if (!(error instanceof Unavailable)) throw error
          throw new CommandError(
            `${named(file)}: the database went away when ${seen} of ${total} tasks were done. Run the same command again: it goes on there.`,
          )
        }
      }),
    )

import { open, rename, unlink } from "node:fs/promises"
import { finished } from "node:stream/promises"
import { type Command, Option } from "commander"
import { EXPORT_FORMATS, type ExportFormat, exportAccount } from "../exchange/export-account.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print } from "./print.js"
import { showProgress } from "./progress.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; format: ExportFormat; output?: string; json?: boolean }

/** The reader of the output, such as `head`, has closed it. */
class ReaderLeft extends Error {}

/** Resolves when more can be written, and when nothing can be any more. */
const drained = (into: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      for (const event of ["drain", "error", "close"]) into.removeListener(event, go)
      resolve()
    }
    for (const event of ["drain", "error", "close"]) into.on(event, go)
  })

/** Writes pieces as fast as they are taken; gives the number of octets. */
async function pour(
  pieces: AsyncIterable<string>,
  into: NodeJS.WritableStream,
  onPiece: (octets: number) => void,
): Promise<number> {
  let octets = 0
  let fault: NodeJS.ErrnoException | undefined
  const onError = (error: NodeJS.ErrnoException) => {
    fault = error
  }
  into.on("error", onError)
  try {
    for await (const piece of pieces) {
      octets += Buffer.byteLength(piece)
      if (!into.write(piece) && fault === undefined) await drained(into)
      if (fault !== undefined) throw fault.code === "EPIPE" ? new ReaderLeft() : fault
      onPiece(octets)
    }
  } finally {
    into.removeListener("error", onError)
  }
  return octets
}

/** Writes a file that appears when it is whole. @throws CommandError when it cannot be written */
async function writeFile(
  path: string,
  pieces: AsyncIterable<string>,
  onPiece: (octets: number) => void,
): Promise<number> {
  const partial = `${path}.partial`
  try {
    const file = (await open(partial, "w", 0o600)).createWriteStream()
    const octets = await pour(pieces, file, onPiece)
    file.end()
    await finished(file)
    await rename(partial, path)
    return octets
  } catch (error) {
    await unlink(partial).catch(() => {})
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new CommandError(`--output: ${path} cannot be written: ${message}`)
    throw error
  }
}

/** `export`: writes a user's data. */
export const addExport = (program: Command): Command =>
  program
    .command("export")
    .summary("write a user's lists and tasks to a file")
    .description(
      `Writes everything that a user can see: all lists that the user is a member of, with their content. It is the state of one moment,
however long it takes, and the memory it uses does not depend on the number of tasks.

  json  everything, in the form of the retired service's backup; import reads it
  csv   one row for each task, for spreadsheets; values that look like a formula start with an apostrophe
  ics   iCalendar, a VTODO for each task and subtask`,
    )
    .requiredOption("--user <id|email>", "the user")
    .addOption(new Option("--format <format>", "the format of the file").choices([...EXPORT_FORMATS]).default("json"))
    .option("--output <file>", "the file to write (default: standard output)")
    .option("--json", "with --output: print one JSON object that describes what was written")
    .addHelpText(
      "after",
      examples(
        "tandem export --user ann@example.org --output ann.json",
        "tandem export --user ann@example.org --format csv > tasks.csv",
        "tandem export --user 1 --format ics --output tasks.ics --json",
      ),
    )
    .action(({ user: who, format, output, json = false }: Options) =>
      withDatabase(async ({ database, config }) => {
        if (json && output === undefined)
          throw new CommandError("--json: requires --output, the file for the export itself")
        const user = await userOf(database, who)
        const host = new URL(config.publicUrl ?? "http://tandem.invalid").hostname
        const progress = showProgress(`Exporting ${format}`, "kB")
        const onPiece = (octets: number) => progress.at(Math.ceil(octets / 1_000))
        const write = (all: AsyncIterable<string>) =>
          output === undefined ? pour(all, process.stdout, onPiece) : writeFile(output, all, onPiece)
        try {
          const what = { user, format, host, now: new Date() }
          const { tasks, bytes } = await exportAccount(database, what, async (all, count) => ({
            tasks: count,
            bytes: await write(all),
          }))
          progress.stop()
          if (output !== undefined) print({ output, format, tasks, bytes }, json)
        } catch (error) {
          progress.stop()
          if (!(error instanceof ReaderLeft)) throw error
        }
      }),
    )

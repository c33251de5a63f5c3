import type { Command } from "commander"
import { storedFigures } from "../telemetry/stored-figures.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

/** `stats`: how much is stored and how much waits. */
export const addStats = (program: Command): Command =>
  program
    .command("stats")
    .summary("show how much is stored, and how much waits")
    .description(
      "Shows how many users, lists, tasks, files and events are stored, and how much work waits. Counts whole tables.",
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem stats", "tandem stats --json"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const [found] = await database.run(storedFigures, [])
        print(found ?? {}, json)
      }),
    )

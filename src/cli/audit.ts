import { type Command, InvalidArgumentError, Option } from "commander"
import { latestActs } from "../accounts/administrative-acts.js"
import { examples } from "./examples.js"
import { printAll } from "./print.js"
import { withDatabase } from "./with-database.js"

const MAX_ACTS = 10_000

function readLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ACTS)
    throw new InvalidArgumentError(`must be a whole number from 1 to ${MAX_ACTS}`)
  return limit
}

/** `audit`: what operators have done by commands. */
export const addAudit = (program: Command): Command =>
  program
    .command("audit")
    .summary("show what operators have done")
    .description(
      "Shows what commands have changed about users, applications and tokens, the newest first, with the account and the machine that ran them. The log is only added to, and stays when a user is deleted.",
    )
    .addOption(new Option("--limit <count>", "show at most so many").argParser(readLimit).default(100))
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem audit", "tandem audit --limit 1000 --json"))
    .action(({ limit, json = false }: { limit: number; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const acts = await latestActs(database, limit)
        printAll(
          acts.map(({ occurredAt, ...act }) => ({ occurred_at: occurredAt, ...act })),
          json,
        )
      }),
    )

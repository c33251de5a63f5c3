import type { Command } from "commander"
import { promoteUser } from "../accounts/administration.rows.js"
import { examples } from "./examples.js"
import { requireEnabled, userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; json?: boolean }

/** `user promote`, `user demote`: who sees the page for administrators. */
export function addUserPromote(users: Command): void {
  users
    .command("promote")
    .summary("make a user an administrator")
    .description(
      "Makes a user an administrator: on the pages they see the users with how much they have, what waits, webhooks that fail, and what operators have done. They see nobody's lists, and can change nothing.",
    )
    .requiredOption("--user <id|email>", "the user to promote")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user promote --user ann@example.org"))
    .action(({ user: named, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, named)
        await requireEnabled(database, user.id, user.email)
        const act = { act: "user promote", subject: userInWords(user) }
        const since = await recorded(database, act, (inside) => promoteUser(inside, user.id))
        print({ id: Number(user.id), email: user.email, administrator_since: since }, json)
      }),
    )
  users
    .command("demote")
    .summary("end that a user is an administrator")
    .description("Ends that a user is an administrator. What they own stays theirs.")
    .requiredOption("--user <id|email>", "the user to demote")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user demote --user ann@example.org"))
    .action(({ user: named, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, named)
        await recorded(database, { act: "user demote", subject: userInWords(user) }, async ({ prisma }) => {
          const { count } = await prisma.administrator.deleteMany({ where: { userId: BigInt(user.id) } })
          if (count === 0) throw new Error(`--user: ${user.email} is no administrator`)
        })
        print({ id: Number(user.id), email: user.email, administrator: false }, json)
      }),
    )
}

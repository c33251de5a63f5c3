import type { Command } from "commander"
import { belongings } from "../accounts/account.rows.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; yes?: boolean; json?: boolean }

/** `user delete`: ends an account and all that belongs to it. */
export const addUserDelete = (users: Command): Command =>
  users
    .command("delete")
    .summary("delete a user and their data")
    .description(
      "Deletes a user, the lists that the user owns (for all their members), and the files that the user attached anywhere. Tokens and sessions end within a second, and the content of the files is deleted within a minute. What the user wrote in other people's lists stays there.",
    )
    .requiredOption("--user <id|email>", "the user to delete")
    .option("--yes", "delete; without it the command only shows what would be deleted")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user delete --user ann@example.org --yes"))
    .action(({ user: who, yes = false, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, who)
        const { lists, shared, files } = await belongings(database, user.id)
        if (!yes)
          throw new CommandError(
            `--yes: is required to delete ${user.email} with the inbox, ${lists} other lists (${shared} of them shared) and ${files} files; they can be restored only from a backup`,
          )
        await recorded(database, { act: "user delete", subject: userInWords(user) }, (inside) =>
          inside.prisma.user.deleteMany({ where: { id: BigInt(user.id) } }),
        )
        print({ id: Number(user.id), email: user.email, lists, files, deleted: true }, json)
      }),
    )

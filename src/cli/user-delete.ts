import type { Command } from "commander"
import { statement } from "../statement.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

/** What goes with a user: his lists with what anybody put there, and the files that he put anywhere. */
const belongings = statement(
  "belongings_of_user",
  `select count(*), count(*) filter (where exists (select from memberships m where m.list_id = l.id and m.user_id <> $1::bigint and m.state = 'accepted')),
     (select count(*) from files f where f.user_id = $1::bigint or exists (
        select from tasks t join lists o on o.id = t.list_id where t.id = f.task_id and o.owner_id = $1::bigint and o.deleted_at is null))
   from lists l where l.owner_id = $1::bigint and l.list_type <> 'inbox' and l.deleted_at is null`,
  ([lists, shared, files]) => ({ lists: Number(lists), shared: Number(shared), files: Number(files) }),
)
const deleteUser = statement("delete_user", "delete from users where id = $1::bigint returning 1", () => true)

type Options = { user: string; yes?: boolean; json?: boolean }

/** `user delete`: ends an account and all that belongs to it. */
export const addUserDelete = (users: Command): Command =>
  users
    .command("delete")
    .summary("delete a user and what is his")
    .description(
      "Deletes a user with his lists, whoever is in them, and the files that he put anywhere. His tokens and sessions end within a second, and the bytes of the files are gone within a minute. What he wrote into lists of others stays there.",
    )
    .requiredOption("--user <id|email>", "whom to delete")
    .option("--yes", "do it; without it the command says what would go")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user delete --user ann@example.org --yes"))
    .action(({ user: who, yes = false, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, who)
        const [{ lists, shared, files } = { lists: 0, shared: 0, files: 0 }] = await database.run(belongings, [user.id])
        if (!yes)
          throw new CommandError(
            `--yes: is needed to delete ${user.email} with the inbox, ${lists} other lists (${shared} of them shared) and ${files} files; only a backup brings them back`,
          )
        await database.run(deleteUser, [user.id])
        print({ id: Number(user.id), email: user.email, lists, files, deleted: true }, json)
      }),
    )

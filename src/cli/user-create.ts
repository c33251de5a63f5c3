import { text } from "node:stream/consumers"
import { type Command, Option } from "commander"
import { hashChosen } from "../accounts/password.js"
import { createUser } from "../resources/user/user.commands.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

type Options = { email: string; name: string; password?: string; passwordStdin?: boolean; json?: boolean }

/** `user create`: makes a user whose address counts as verified. */
export const addUserCreate = (users: Command): Command =>
  users
    .command("create")
    .summary("make a user")
    .description(
      "Makes a user, whatever SIGN_UP says. The address counts as verified, so invitations that were sent to it belong to the user. Without a password only tokens open the account.",
    )
    .requiredOption("--email <address>", "the e-mail address; upper and lower case are the same")
    .requiredOption("--name <name>", "what others see him as")
    .option(
      "--password <password>",
      "for signing in on the pages, at least 10 characters; other users of this machine may see it while the command runs",
    )
    .addOption(
      new Option("--password-stdin", "read the password from the standard input instead").conflicts("password"),
    )
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        "tandem user create --email ann@example.org --name Ann --password-stdin < password.txt",
        "tandem user create --email ann@example.org --name Ann --password 'correct horse battery'",
      ),
    )
    .action(({ email, name, password, passwordStdin = false, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        // A line break at the end is the file's or the terminal's and not of the password.
        const chosen = passwordStdin ? (await text(process.stdin)).replace(/\r?\n$/, "") : password
        const passwordHash = chosen === undefined ? undefined : await hashChosen(chosen, email.trim().toLowerCase())
        const user = await createUser(database, { name, email, passwordHash, verified: true })
        print({ id: Number(user.id), email: user.email }, json)
      }),
    )

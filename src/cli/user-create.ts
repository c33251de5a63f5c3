import { text } from "node:stream/consumers"
import { type Command, Option } from "commander"
import { hashChosen } from "../accounts/password.js"
import { createUser } from "../resources/user/user.commands.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { email: string; name: string; password?: string; passwordStdin?: boolean; json?: boolean }

/** `user create`: makes a user whose address counts as verified. */
export const addUserCreate = (users: Command): Command =>
  users
    .command("create")
    .summary("create a user")
    .description(
      "Creates a user, whatever SIGN_UP is set to. The address counts as verified, so the user gets the invitations that were sent to it. Without a password, the account can be used with tokens only.",
    )
    .requiredOption("--email <address>", "the email address; case is ignored")
    .requiredOption("--name <name>", "the name that other people see")
    .option(
      "--password <password>",
      "the password for signing in, at least 10 characters; other users of this machine can see it while the command runs",
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
        const user = await recorded(database, { act: "user create", subject: userInWords }, (inside) =>
          createUser(inside, { name, email, passwordHash, verified: true }),
        )
        print({ id: Number(user.id), email: user.email }, json)
      }),
    )

import type { Command } from "commander"
import { hashPassword } from "../accounts/password.js"
import { createUser } from "../resources/user/user.commands.js"
import { examples } from "./examples.js"
import { print } from "./print.js"
import { withDatabase } from "./with-database.js"

type Options = { email: string; name: string; password?: string; json?: boolean }

/** `user create`: makes a user whose address counts as verified. */
export const addUserCreate = (users: Command): Command =>
  users
    .command("create")
    .summary("make a user")
    .description("Makes a user. His address counts as verified, so invitations that were sent to it become his.")
    .requiredOption("--email <address>", "the e-mail address; upper and lower case are the same")
    .requiredOption("--name <name>", "what others see him as")
    .option("--password <password>", "for signing in on the pages; without one only tokens open his account")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples("tandem user create --email ann@example.org --name Ann --password 'correct horse battery'"),
    )
    .action(({ email, name, password, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const passwordHash = password === undefined ? undefined : await hashPassword(password)
        const user = await createUser(database, { name, email, passwordHash, verified: true })
        print({ id: Number(user.id), email: user.email }, json)
      }),
    )

import { text } from "node:stream/consumers"
import type { Command } from "commander"
import { setPassword } from "../accounts/account.rows.js"
import { forgetWrongPasswords } from "../accounts/credentials.js"
import { dropIdentities } from "../accounts/identity.rows.js"
import { createMailedLink, dropMailedLinks } from "../accounts/mailed-link.js"
import { hashChosen } from "../accounts/password.js"
import { dropHalfSignIns } from "../accounts/second-factor.rows.js"
import { endOtherSessions } from "../accounts/session.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { requireEnabled, userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; passwordStdin?: boolean; json?: boolean }

/** `user reset-password`: a link to hand to a user who cannot receive mail, or a password set at once. */
export const addUserResetPassword = (users: Command): Command =>
  users
    .command("reset-password")
    .summary("let a user choose another password")
    .description(
      "Prints a link, valid once and for an hour, with which the user chooses another password. With --password-stdin the password is set at once. Either way they are signed out everywhere and what they had at an OpenID provider is unlinked; their tokens and second factor stay.",
    )
    .requiredOption("--user <id|email>", "the user whose password is reset")
    .option("--password-stdin", "read the new password from the standard input, at least 10 characters")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        "tandem user reset-password --user ann@example.org",
        "tandem user reset-password --user ann@example.org --password-stdin < password.txt",
      ),
    )
    .action(({ user: named, passwordStdin = false, json = false }: Options) =>
      withDatabase(async ({ database, config }) => {
        if (!config.passwordSignIn)
          throw new CommandError("PASSWORD_SIGN_IN: is off, so no password opens an account here; nothing was changed")
        const user = await userOf(database, named)
        const { id, email } = user
        await requireEnabled(database, id, email)
        const act = { act: "user reset-password", subject: userInWords(user) }
        if (!passwordStdin) {
          const link = { email, userId: id, next: undefined }
          const token = await recorded(database, act, (inside) => createMailedLink(inside, "reset-password", link))
          const base = config.publicUrl ?? `http://127.0.0.1:${config.port}`
          return print({ id: Number(id), email, link: `${base}/reset-password/finish?token=${token}` }, json)
        }
        const hash = await hashChosen((await text(process.stdin)).replace(/\r?\n$/, ""), email)
        await recorded(database, act, async (inside) => {
          await setPassword(inside, id, hash)
          await dropIdentities(inside, id)
          await endOtherSessions(inside, id, null)
          await dropMailedLinks(inside, id)
          await dropHalfSignIns(inside, id)
          await forgetWrongPasswords(inside, id, email)
        })
        print({ id: Number(id), email, password: "changed" }, json)
      }),
    )

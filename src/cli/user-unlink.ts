import type { Command } from "commander"
import { dropIdentities } from "../accounts/identity.rows.js"
import { endOtherSessions } from "../accounts/session.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; json?: boolean }

/** `user unlink`: for an account at an OpenID provider that opens another person's account here. */
export const addUserUnlink = (users: Command): Command =>
  users
    .command("unlink")
    .summary("unlink a user from their accounts at OpenID providers")
    .description(
      "Unlinks every account at an OpenID provider that opens this user's account, and signs the user out everywhere; their password and tokens stay. A provider that verifies the user's address links itself again at the next sign-in.",
    )
    .requiredOption("--user <id|email>", "the user to unlink")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user unlink --user ann@example.org"))
    .action(({ user: named, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, named)
        const { id, email } = user
        const issuers = await recorded(database, { act: "user unlink", subject: userInWords(user) }, async (inside) => {
          const linked = await inside.prisma.identity.findMany({ where: { userId: BigInt(id) } })
          if (linked.length === 0) throw new Error(`--user: ${email} is linked to no account at an OpenID provider`)
          await dropIdentities(inside, id)
          await endOtherSessions(inside, id, null)
          return linked.map(({ issuer }) => issuer)
        })
        print({ id: Number(id), email, unlinked: issuers }, json)
      }),
    )

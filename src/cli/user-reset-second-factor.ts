import type { Command } from "commander"
import { forgetWrongCodes } from "../accounts/second-factor.commands.js"
import { dropSecondFactor } from "../accounts/second-factor.rows.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; json?: boolean }

/** `user reset-second-factor`: for a user who has lost both the application and the recovery codes. */
export const addUserResetSecondFactor = (users: Command): Command =>
  users
    .command("reset-second-factor")
    .summary("turn a user's second factor off")
    .description(
      "Turns a user's second factor off and makes their recovery codes worth nothing: the password alone signs them in, until they set it up again. Make sure that it is they who ask. Sessions and tokens stay.",
    )
    .requiredOption("--user <id|email>", "the user whose second factor is turned off")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user reset-second-factor --user ann@example.org"))
    .action(({ user: named, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, named)
        const { id, email } = user
        await recorded(database, { act: "user reset-second-factor", subject: userInWords(user) }, async (inside) => {
          if (!(await dropSecondFactor(inside, id))) throw new Error(`--user: ${email} has no second factor`)
          await forgetWrongCodes(inside, id)
        })
        print({ id: Number(id), email, second_factor: "off" }, json)
      }),
    )

import { type Command, InvalidArgumentError, Option } from "commander"
import {
  addressOfInvitation,
  insertLink,
  linkInWords,
  MAX_DAYS,
  MAX_USES,
} from "../accounts/invitation-link.commands.js"
import { dropLink, openLinksOfOthers } from "../accounts/invitation-link.rows.js"
import { Email, idOf } from "../scalars/scalars.js"
import { examples } from "./examples.js"
import { print, printAll } from "./print.js"
import { recorded } from "./recorded.js"
import { withDatabase } from "./with-database.js"

const MAX_SHOWN = 10_000

type Options = { email?: string; list?: string; uses: number; days: number; json?: boolean }

const upTo = (most: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d{1,3}$/.test(text) || value < 1 || value > most)
    throw new InvalidArgumentError(`must be a whole number from 1 to ${most}`)
  return value
}

/** `user invite`, `user invitations`, `user revoke-invitation`: links with which people sign up. */
export function addUserInvite(users: Command): void {
  users
    .command("invite")
    .summary("make a link with which somebody signs up")
    .description(
      "Prints a link with which somebody signs up, whatever SIGN_UP is set to: they still prove their address and choose a password, or sign in with the OpenID provider. It is shown only now.",
    )
    .option("--email <address>", "only this address can use the link")
    .option("--list <id>", "who signs up with the link joins this list")
    .addOption(new Option("--uses <count>", "how many people can sign up with it").argParser(upTo(MAX_USES)).default(1))
    .addOption(new Option("--days <count>", "how long the link is valid").argParser(upTo(MAX_DAYS)).default(7))
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples("tandem user invite --email ann@example.org", "tandem user invite --uses 20 --days 14 --list 42"),
    )
    .action(({ email, list, uses, days, json = false }: Options) =>
      withDatabase(async ({ database, config }) => {
        const link = {
          email: email === undefined ? undefined : (Email.parseValue(email) as string),
          listId: list === undefined ? undefined : idOf(list),
          uses,
          days,
        }
        const act = { act: "user invite", subject: ({ id }: { id: string }) => linkInWords(id, link) }
        const { id, token } = await recorded(database, act, (inside) => insertLink(inside, undefined, link, new Date()))
        const base = config.publicUrl ?? `http://127.0.0.1:${config.port}`
        print({ id: Number(id), link: addressOfInvitation(base, token), uses, days }, json)
      }),
    )
  users
    .command("invitations")
    .summary("show the links with which people can sign up")
    .description("Shows every invitation link that is open: who made it, for whom, and how often it is good still.")
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem user invitations"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const links = await openLinksOfOthers(database, undefined, new Date(), MAX_SHOWN)
        printAll(
          links.map(({ id, maker, email, listId, uses, used, expiresAt }) => ({
            id: Number(id),
            made_by: maker ?? null,
            email: email ?? null,
            list_id: listId === undefined ? null : Number(listId),
            uses_left: uses - used,
            expires_at: expiresAt,
          })),
          json,
        )
      }),
    )
  users
    .command("revoke-invitation")
    .summary("end a link with which people can sign up")
    .description("Ends an invitation link, no matter who made it. People who have signed up with it stay.")
    .requiredOption("--id <id>", "the link's number, as user invitations shows it")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user revoke-invitation --id 3"))
    .action(({ id, json = false }: { id: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const act = { act: "user revoke-invitation", subject: `invitation link ${id}` }
        await recorded(database, act, async (inside) => {
          if (!(await dropLink(inside, idOf(id), undefined))) throw new Error(`--id: there is no invitation link ${id}`)
        })
        print({ id: Number(id), revoked: true }, json)
      }),
    )
}

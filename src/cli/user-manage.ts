import type { Command } from "commander"
import { disableUser } from "../accounts/administration.rows.js"
import type { DatabaseClient } from "../database/client.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { userOf } from "./named-user.js"
import { print, printAll } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { withDatabase } from "./with-database.js"

type Options = { user: string; yes?: boolean; json?: boolean }

const BATCH = 1_000

/** Every user with a verified address, in pieces. */
async function* verifiedUsers({ prisma }: Pick<DatabaseClient, "prisma">) {
  for (let last = 0n; ; ) {
    const users = await prisma.user.findMany({
      where: { verifiedAt: { not: null }, id: { gt: last } },
      orderBy: { id: "asc" },
      take: BATCH,
      include: {
        disabled: true,
        _count: { select: { files: true, memberships: { where: { state: "accepted" } } } },
        accessTokens: {
          select: { lastUsedAt: true },
          orderBy: { lastUsedAt: { sort: "desc", nulls: "last" } },
          take: 1,
        },
      },
    })
    yield* users
    if (users.length < BATCH) return
    last = users.at(-1)?.id ?? last
  }
}

/** `user list`, `user disable`, `user enable`: who has an account here, and who may use it. */
export function addUserManage(users: Command): void {
  users
    .command("list")
    .summary("show the users")
    .description(
      "Shows every user with a verified address, how much they have, and when a token of theirs was last used.",
    )
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem user list", "tandem user list --json"))
    .action(({ json = false }: { json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const found = []
        for await (const { id, email, name, createdAt, disabled, accessTokens, _count } of verifiedUsers(database))
          found.push({
            id: Number(id),
            email,
            name,
            created_at: createdAt.toISOString(),
            last_used_at: accessTokens[0]?.lastUsedAt?.toISOString() ?? null,
            disabled_at: disabled?.disabledAt.toISOString() ?? null,
            lists: _count.memberships,
            files: _count.files,
          })
        printAll(found, json)
      }),
    )
  users
    .command("disable")
    .summary("keep a user out")
    .description(
      "Keeps a user out without deleting anything they wrote. Their tokens, sessions, devices, calendar feeds and webhooks end within a second, and they cannot sign in or reset their password until they are enabled.",
    )
    .requiredOption("--user <id|email>", "the user to disable")
    .option("--yes", "disable the user; without it the command shows what would end")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user disable --user ann@example.org --yes"))
    .action(({ user: named, yes = false, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const { prisma } = database
        const user = await userOf(database, named)
        const { id, email } = user
        const userId = BigInt(id)
        const [tokens, webhooks, feeds] = await Promise.all([
          prisma.accessToken.count({ where: { userId, revokedAt: null } }),
          prisma.webhook.count({ where: { createdById: userId } }),
          prisma.calendarFeed.count({ where: { userId } }),
        ])
        if (!yes)
          throw new CommandError(
            `--yes: is required to disable ${email}, which ends ${tokens} tokens, ${webhooks} webhooks and ${feeds} calendar feeds`,
          )
        const act = { act: "user disable", subject: userInWords(user) }
        const disabledAt = await recorded(database, act, (inside) => disableUser(inside, id))
        print({ id: Number(id), email, disabled_at: disabledAt, tokens, webhooks, feeds }, json)
      }),
    )
  users
    .command("enable")
    .summary("let a disabled user in again")
    .description("Lets a disabled user sign in again. What ended when they were disabled stays ended.")
    .requiredOption("--user <id|email>", "the user to enable")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem user enable --user ann@example.org"))
    .action(({ user: named, json = false }: Options) =>
      withDatabase(async ({ database }) => {
        const user = await userOf(database, named)
        const { id, email } = user
        await recorded(database, { act: "user enable", subject: userInWords(user) }, async ({ prisma }) => {
          const { count } = await prisma.disabledUser.deleteMany({ where: { userId: BigInt(id) } })
          if (count === 0) throw new Error(`--user: ${email} is not disabled`)
        })
        print({ id: Number(id), email, enabled: true }, json)
      }),
    )
}

import type { Command } from "commander"
import { createWebhook, deleteWebhook, updateWebhook } from "../resources/webhook/webhook.commands.js"
import type { CreateWebhookInput, UpdateWebhookInput } from "../resources/webhook/webhook.input.js"
import type { Webhook } from "../resources/webhook/webhook.type.js"
import { type WatchedWebhook, webhooksOfMember } from "../resources/webhook/webhook-delivery.statements.js"
import { Refusal, Text, WebhookUrl } from "../scalars/scalars.js"
import { EventKind } from "../scalars/webhook-scalars.js"
import { CommandError } from "./command-error.js"
import { examples } from "./examples.js"
import { requireEnabled, userOf } from "./named-user.js"
import { print, printAll } from "./print.js"
import { recorded, userInWords } from "./recorded.js"
import { contextOf, listNamed, webhookInWords, webhookNamed } from "./webhook-owner.js"
import { withDatabase } from "./with-database.js"

type Fields = { url?: string; event: string[]; configuration?: string; json?: boolean }
type NewOptions = Fields & { user: string; list?: string }
type ChangeOptions = Fields & { webhook: string; allEvents?: boolean }

const collect = (event: string, events: string[]): string[] => [...events, event]

/** @throws CommandError that names the option */
function parsed(option: string, scalar: { parseValue(value: unknown): unknown }, text: string): string {
  try {
    return scalar.parseValue(text) as string
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new CommandError(`${option}: ${text} ${error.reason}`)
  }
}

const fieldsOf = ({ url, event, configuration }: Fields) => ({
  ...(url !== undefined && { url: parsed("--url", WebhookUrl, url) }),
  ...(event.length > 0 && { events: event.map((kind) => parsed("--event", EventKind, kind)) }),
  ...(configuration !== undefined && { configuration: parsed("--configuration", Text, configuration) }),
})

const shown = ({ id, listId, url, events, configuration, revision }: Webhook) => ({
  id: Number(id),
  list_id: listId === null ? null : Number(listId),
  url,
  events: events ?? "all",
  configuration,
  revision,
})

const stateOf = ({ disabledAt, failingSince }: WatchedWebhook): string => {
  if (disabledAt !== null) return "disabled"
  return failingSince === null ? "working" : "failing"
}

function addCreate(webhooks: Command): void {
  webhooks
    .command("create")
    .summary("create a webhook of an account or of a list")
    .description(
      "Creates a webhook for everything that a user sees: every list, also those joined later, and what only they see. With --list it is told of one list. Its secret, which verifies the signatures of its deliveries, is shown once.",
    )
    .requiredOption("--user <id|email>", "the user")
    .requiredOption("--url <url>", "where changes are posted to")
    .option("--list <id>", "only this list, of which the user is a member")
    .option("--event <kind>", "such as task.completed; can be repeated (default: all)", collect, [])
    .option("--configuration <text>", "a text that each delivery includes")
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        "tandem webhook create --user ann@example.org --url https://hooks.example.org/tandem",
        "tandem webhook create --user ann@example.org --url https://hooks.example.org/done --event task.completed --event reminder.due",
      ),
    )
    .action((options: NewOptions) =>
      withDatabase(async ({ database, config }) => {
        const user = await userOf(database, options.user)
        const { id, email } = user
        await requireEnabled(database, id, email)
        const list = options.list === undefined ? undefined : await listNamed(database, options.list)
        const input = { ...fieldsOf(options), listId: list?.id } as CreateWebhookInput
        const act = {
          act: "webhook create",
          subject: (made: Webhook) => `${webhookInWords(made)}, of ${userInWords(user)}`,
        }
        const webhook = await recorded(database, act, (inside) =>
          createWebhook(contextOf(inside, config, id, "webhook-create"), input),
        )
        print({ ...shown(webhook), secret: webhook.secret }, options.json ?? false)
      }),
    )
}

function addList(webhooks: Command): void {
  webhooks
    .command("list")
    .summary("list a user's webhooks")
    .description("Lists the webhooks of a user's account and of all lists that they are a member of, without secrets.")
    .requiredOption("--user <id|email>", "the user")
    .option("--json", "print one JSON array")
    .addHelpText("after", examples("tandem webhook list --user ann@example.org"))
    .action(({ user, json = false }: { user: string; json?: boolean }) =>
      withDatabase(async ({ database }) => {
        const found = await database.run(webhooksOfMember, [(await userOf(database, user)).id, null])
        const rows = found.map((webhook) => ({
          id: Number(webhook.id),
          url: webhook.url,
          list: webhook.listTitle,
          events: webhook.events ?? "all",
          state: stateOf(webhook),
          created_by: webhook.makerName,
        }))
        printAll(rows, json)
      }),
    )
}

function addUpdate(webhooks: Command): void {
  webhooks
    .command("update")
    .summary("change a webhook")
    .description("Changes where a webhook posts to, and what it is told. Its secret stays as it is.")
    .requiredOption("--webhook <id>", "the webhook, from: webhook list")
    .option("--url <url>", "where changes are posted to")
    .option("--event <kind>", "only these events; can be repeated", collect, [])
    .option("--all-events", "all events")
    .option("--configuration <text>", "a text that each delivery includes")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem webhook update --webhook 12 --event task.created --event task.deleted"))
    .action((options: ChangeOptions) =>
      withDatabase(async ({ database, config }) => {
        const { event, allEvents = false } = options
        if (allEvents && event.length > 0) throw new CommandError("--all-events: cannot be combined with --event")
        const changes = { ...fieldsOf(options), ...(allEvents && { events: null }) }
        if (Object.keys(changes).length === 0)
          throw new CommandError("--webhook: say what to change: --url, --event, --all-events or --configuration")
        const { id, makerId, revision } = await webhookNamed(database, options.webhook)
        const input: UpdateWebhookInput = { revision, ...changes }
        const webhook = await recorded(database, { act: "webhook update", subject: webhookInWords }, (inside) =>
          updateWebhook(contextOf(inside, config, makerId, "webhook-update"), id, input),
        )
        print(shown(webhook), options.json ?? false)
      }),
    )
}

function addDelete(webhooks: Command): void {
  webhooks
    .command("delete")
    .summary("delete a webhook")
    .description("Deletes a webhook. Nothing more is sent to it, not even what waits.")
    .requiredOption("--webhook <id>", "the webhook, from: webhook list")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples("tandem webhook delete --webhook 12"))
    .action(({ webhook, json = false }: { webhook: string; json?: boolean }) =>
      withDatabase(async ({ database, config }) => {
        const named = await webhookNamed(database, webhook)
        const { id, makerId } = named
        await recorded(database, { act: "webhook delete", subject: webhookInWords(named) }, (inside) =>
          deleteWebhook(contextOf(inside, config, makerId, "webhook-delete"), id),
        )
        print({ id: Number(id), deleted: true }, json)
      }),
    )
}

/** `webhook create`, `webhook list`, `webhook update`, `webhook delete`: what its maker does on the pages. */
export function addWebhookManage(webhooks: Command): void {
  addCreate(webhooks)
  addList(webhooks)
  addUpdate(webhooks)
  addDelete(webhooks)
}

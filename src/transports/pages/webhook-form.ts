import type { Violations } from "../../errors.js"
import type { WatchedWebhook } from "../../resources/webhook/webhook-delivery.statements.js"
import type { Form } from "../../scalars/form.js"
import { Text, WebhookUrl } from "../../scalars/scalars.js"
import { EVENT_KINDS } from "../../scalars/webhook-scalars.js"
import { field, readFields, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"

/** The fields of a webhook as its forms show them. */
export type TypedWebhook = { readonly url: string; readonly configuration: string; readonly events: readonly string[] }

export const NEW_WEBHOOK: TypedWebhook = { url: "", configuration: "", events: [] }

/** The fields of a webhook that exists. */
export const typedOf = ({ url, configuration, events }: WatchedWebhook): TypedWebhook => ({
  url,
  configuration,
  events: events ?? [],
})

/** What a form says of a webhook, and what is wrong with it. No kind of event that is checked means all of them. */
export function readWebhook(sent: Form): { typed: TypedWebhook; violations: Violations | undefined } {
  const { values, violations } = readFields(sent, { url: WebhookUrl, configuration: Text })
  return { typed: { ...values, events: EVENT_KINDS.filter((kind) => sent.has(kind)) }, violations }
}

/** Fields as commands take them. */
export const inputOf = ({ url, configuration, events }: TypedWebhook) => ({
  url,
  configuration,
  events: events.length > 0 ? [...events] : null,
})

const TYPES = [...new Set(EVENT_KINDS.map((kind) => kind.split(".")[0] as string))]

function kindsOf(type: string, chosen: readonly string[]): Html {
  const boxes = EVENT_KINDS.filter((kind) => kind.startsWith(`${type}.`)).map(
    (kind) =>
      html`<label class="choice"><input type="checkbox" name="${kind}"${chosen.includes(kind) && html` checked`}><span>${kind.slice(type.length + 1)}</span></label>`,
  )
  return html`<fieldset class="kinds"><legend>${type.replaceAll("_", " ")}</legend>${boxes}</fieldset>`
}

/** The fields of a form that makes or changes a webhook. */
export function webhookFields({ url, configuration, events }: TypedWebhook, violations?: Violations): Html {
  return html`${field({ name: "url", label: "Address", value: url, hint: "Where changes are posted to: http or https, reachable from everywhere.", violations: violations?.url })}
${field({ name: "configuration", label: "Configuration", value: configuration, isOptional: true, hint: "A text that each delivery includes.", violations: violations?.configuration })}
<details${events.length > 0 && html` open`}><summary>Events</summary>
<p class="hint">If you check none, it is told of everything that changes.</p>
${TYPES.map((type) => kindsOf(type, events))}</details>`
}

/** Says above a form what is wrong with no field of it, else that a field is. */
export function refusedAbove(violations: Violations | undefined): Html | undefined {
  const { listId, createdById } = violations ?? {}
  if (listId) return html`<p class="notice bad" role="alert">Your account has 20 webhooks, and none may have more.</p>`
  if (createdById) return html`<p class="notice bad" role="alert">You have 100 webhooks, and nobody may have more.</p>`
  return violationsAbove(violations)
}

/** A secret, the only time that it can be shown. */
export const webhookSecret = (secret: string): Html =>
  html`<section class="card" aria-labelledby="secret-once"><h2 id="secret-once">New secret</h2>
<p>Copy it now: it is shown only once. With it your receiver verifies that a delivery comes from here, as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> describes.</p>
<p><span class="secret">${secret}</span></p></section>`

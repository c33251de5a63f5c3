import { contextOfUser } from "../../accounts/context-of-user.js"
import { InvalidFields, type Violations } from "../../errors.js"
import { connect, type PageArgs, pageOf } from "../../loading/connection.js"
import { found } from "../../loading/loader.js"
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "../../resources/webhook/webhook.commands.js"
import { redeliver, sendTestWebhook } from "../../resources/webhook/webhook-delivery.commands.js"
import {
  pageOfDeliveries,
  type WatchedWebhook,
  webhooksOfMember,
} from "../../resources/webhook/webhook-delivery.statements.js"
import { type WebhookDelivery, WebhookDeliveryStatus } from "../../resources/webhook/webhook-delivery.type.js"
import type { Form } from "../../scalars/form.js"
import { idOf } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { button, form, noticeOf } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import {
  inputOf,
  NEW_WEBHOOK,
  readWebhook,
  refusedAbove,
  type TypedWebhook,
  typedOf,
  webhookFields,
  webhookSecret,
} from "./webhook-form.js"
import { ago } from "./when.js"

const PAGE = 25

const NOTICES = {
  changed: "Webhook saved.",
  deleted: "Webhook deleted.",
  test: "Test queued. Reload this page to see the result.",
  again: "Delivery queued again. Reload this page to see the result.",
}

const STATUS_TAGS: Record<WebhookDeliveryStatus, Html> = {
  [WebhookDeliveryStatus.DELIVERED]: html`<span class="tag">delivered</span>`,
  [WebhookDeliveryStatus.PENDING]: html`<span class="tag waiting">pending</span>`,
  [WebhookDeliveryStatus.FAILED]: html`<span class="tag bad">failed</span>`,
}

type Shown = { readonly secret?: string; readonly typed?: TypedWebhook; readonly violations?: Violations }

function newPage(visit: SignedIn, typed: TypedWebhook, violations?: Violations): Reply {
  const body = html`${refusedAbove(violations)}<div class="card">
<p class="quiet">It is told of changes in all your lists, those that you join later included, and in what only you see.</p>
${form(visit, "/webhooks/new", html`${webhookFields(typed, violations)}<div class="actions">${button("Create")}<a href="${visit.at("/webhooks")}">Cancel</a></div>`)}</div>`
  return show({ title: "New webhook", body, isWide: true }, violations ? 422 : 200)
}

/** What its maker can do with a webhook. */
function makersForms(visit: SignedIn, webhook: WatchedWebhook, { typed, violations }: Shown): Html {
  const { id, url, revision } = webhook
  return html`<section class="card" aria-label="Changes">
<details${violations && html` open`}><summary>Change the webhook</summary>
${form(visit, `/webhooks/${id}`, html`<input type="hidden" name="revision" value="${revision}">${webhookFields(typed ?? typedOf(webhook), violations)}${button("Save")}`)}</details>
<details><summary>Rotate the secret</summary>
<p>For 24 hours deliveries are signed with the current secret too.</p>
${form(visit, `/webhooks/${id}/secret`, button("Create a new secret", "danger"))}</details>
<details><summary>Delete the webhook</summary>
<p>Nothing more is sent to it, not even what waits. This cannot be undone.</p>
${form(visit, `/webhooks/${id}/delete`, button(html`Delete<span class="unseen"> ${url}</span>`, "danger"))}</details></section>`
}

/** The webhooks of a user's account and lists, and their deliveries. (§9 Webhooks) */
export function webhooksPages({ database, now, webhooks: means }: PageParts) {
  function stateOf({ disabledAt, failingSince }: WatchedWebhook): Html {
    if (disabledAt !== null) return html`<span class="tag bad">disabled</span>`
    return failingSince === null ? html`<span class="tag">working</span>` : html`<span class="tag bad">failing</span>`
  }

  const maker = (visit: SignedIn, { makerId, makerName }: WatchedWebhook): Html =>
    makerId === visit.session.user.id ? html`you` : html`<bdi>${makerName}</bdi>`

  function scopeOf({ listTitle, events }: WatchedWebhook): Html {
    const scope = listTitle === null ? html`For your whole account` : html`For the list <bdi>${listTitle}</bdi>`
    return events === null ? scope : html`${scope}: ${events.join(", ")}`
  }

  const testForm = (visit: SignedIn, { id, url }: WatchedWebhook): Html =>
    form(visit, `/webhooks/${id}/test`, button(html`Send a test<span class="unseen"> to ${url}</span>`, "plain"), {
      isInline: true,
    })

  async function overview(visit: SignedIn): Promise<Reply> {
    const webhooks = await database.run(webhooksOfMember, [visit.session.user.id, null])
    const rows = webhooks.map(
      (
        webhook,
      ) => html`<li><div class="what"><p class="name"><a href="${visit.at(`/webhooks/${webhook.id}`)}">${webhook.url}</a> ${stateOf(webhook)}</p>
<p class="quiet small">${scopeOf(webhook)}, created by ${maker(visit, webhook)}</p></div>
${testForm(visit, webhook)}</li>`,
    )
    const body = html`${noticeOf(visit, NOTICES)}<div class="card">${
      rows.length > 0
        ? html`<p class="quiet">These addresses are notified of changes in your lists.</p><ul class="rows">${rows}</ul>`
        : html`<p>None of your lists has a webhook.</p><p class="quiet">Applications create them with <code>POST /api/v1/webhooks</code> or <code>createWebhook</code>, and you can create one for all your lists here.</p>`
    }</div>
<p><a class="button" href="${visit.at("/webhooks/new")}">New webhook</a></p>`
    return show({ title: "Webhooks", body, isWide: true })
  }

  function deliveryRow(visit: SignedIn, delivery: WebhookDelivery): Html {
    const { id, webhookId, status, attempts, responseCode, latencyMs, fault, createdAt, dueAt, attemptedAt } = delivery
    const isDue = dueAt !== null && attempts > 0 && new Date(dueAt) > now()
    const what =
      delivery.eventId === null
        ? html`Test`
        : html`${delivery.operation?.toLowerCase() ?? "change"} ${delivery.subjectType} ${delivery.subjectId}`
    const facts = [
      `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`,
      responseCode !== null && `answered ${responseCode}`,
      latencyMs !== null && `${latencyMs} ms`,
      responseCode === null && fault,
    ].filter(Boolean)
    return html`<li><div class="what"><p class="name">${what} ${STATUS_TAGS[status]}</p>
<p class="quiet small">${ago(createdAt, now())}, ${facts.join(", ")}${attemptedAt !== null && isDue && html`, next attempt by <time datetime="${dueAt}">${dueAt.slice(0, 16).replace("T", " ")} UTC</time>`}</p></div>
${form(visit, `/webhooks/${webhookId}/deliveries/${id}/again`, button(html`Send again<span class="unseen"> delivery ${id}</span>`, "plain"), { isInline: true })}</li>`
  }

  async function log(visit: SignedIn, id: Id, more: Shown = {}): Promise<Reply> {
    const userId = visit.session.user.id
    const webhook = found(await database.run(webhooksOfMember, [userId, [id]]))
    const { after } = visit.request.query
    const args: PageArgs = { first: PAGE, after: typeof after === "string" ? after : undefined }
    const { behind, limit } = pageOf(args)
    const { nodes, pageInfo } = connect(await database.run(pageOfDeliveries, [webhook.id, userId, behind, limit]), args)
    const body = html`${more.violations ? refusedAbove(more.violations) : noticeOf(visit, NOTICES)}
${more.secret !== undefined && webhookSecret(more.secret)}<section class="card" aria-labelledby="webhook"><h2 id="webhook">${webhook.url} ${stateOf(webhook)}</h2>
<p class="quiet">${scopeOf(webhook)}, created by ${maker(visit, webhook)}.${webhook.failingSince !== null && html` Every attempt has failed since ${ago(webhook.failingSince, now())}.`}${webhook.disabledAt !== null && html` It is disabled; a test that succeeds enables it again.`}</p>
${testForm(visit, webhook)}</section>
${webhook.makerId === userId && makersForms(visit, webhook, more)}
<section class="card" aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
<p class="quiet">The last 30 days, newest first.</p>
${nodes.length > 0 ? html`<ul class="rows">${nodes.map((node) => deliveryRow(visit, node))}</ul>` : html`<p>None.</p>`}</section>
${pageInfo.hasNextPage && html`<p><a href="${visit.at(`/webhooks/${webhook.id}?after=${pageInfo.endCursor}`)}">Older deliveries</a></p>`}
<p><a href="${visit.at("/webhooks")}">All webhooks</a></p>`
    return show({ title: "Webhook", body, isWide: true }, more.violations ? 422 : 200)
  }

  /** As the interface shows it. */
  const contextOf = ({ session, requestId }: SignedIn) =>
    contextOfUser(database, { userId: session.user.id, requestId }, { ...means, now })

  const webhookOf = ({ request }: SignedIn): Id => idOf(request.params.id)

  async function create(visit: SignedIn, sent: Form): Promise<Reply> {
    const { typed, violations } = readWebhook(sent)
    if (violations) return newPage(visit, typed, violations)
    try {
      const { id, secret } = await createWebhook(contextOf(visit), inputOf(typed))
      return await log(visit, id, { secret: secret as string })
    } catch (error) {
      if (error instanceof InvalidFields) return newPage(visit, typed, error.violations)
      throw error
    }
  }

  async function change(visit: SignedIn, sent: Form): Promise<Reply> {
    const id = webhookOf(visit)
    const { typed, violations } = readWebhook(sent)
    if (violations) return log(visit, id, { typed, violations })
    try {
      await updateWebhook(contextOf(visit), id, { ...inputOf(typed), revision: Number(sent.get("revision")) || 0 })
      return goTo(visit.at(`/webhooks/${id}?done=changed`))
    } catch (error) {
      if (error instanceof InvalidFields) return log(visit, id, { typed, violations: error.violations })
      throw error
    }
  }

  return [
    closedPage({ path: "/webhooks", get: overview }),
    closedPage({ path: "/webhooks/new", get: (visit) => newPage(visit, NEW_WEBHOOK), post: create }),
    closedPage({ path: "/webhooks/:id", get: (visit) => log(visit, webhookOf(visit)), post: change }),
    closedPage({
      path: "/webhooks/:id/secret",
      async post(visit) {
        const { id, secret } = await rotateWebhookSecret(contextOf(visit), webhookOf(visit))
        return log(visit, id, { secret: secret as string })
      },
    }),
    closedPage({
      path: "/webhooks/:id/delete",
      async post(visit) {
        await deleteWebhook(contextOf(visit), webhookOf(visit))
        return goTo(visit.at("/webhooks?done=deleted"))
      },
    }),
    closedPage({
      path: "/webhooks/:id/test",
      async post(visit) {
        const { webhookId } = await sendTestWebhook(contextOf(visit), webhookOf(visit))
        return goTo(visit.at(`/webhooks/${webhookId}?done=test`))
      },
    }),
    closedPage({
      path: "/webhooks/:id/deliveries/:delivery/again",
      async post(visit) {
        const { webhookId } = await redeliver(contextOf(visit), idOf(visit.request.params.delivery))
        return goTo(visit.at(`/webhooks/${webhookId}?done=again`))
      },
    }),
  ]
}

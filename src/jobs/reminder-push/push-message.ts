import { type Due, subscriptionOf, type TakenPush } from "./push.statements.js"
import type { VapidKeys } from "./vapid.js"

/** Nobody wants to be reminded of it later than this. */
export const WORTH_TELLING_SECONDS = 3_600

/** Whom a push service may turn to, beside the service's keys: `mailto:` or an https address (RFC 8292). */
export type VapidDetails = VapidKeys & { readonly subject: string }

/** What a push service is sent. */
export type PushMessage = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What the browser's service worker gets. It is far below the 4,096 bytes that every push service carries. */
const contentOf = ({ id, taskId, listId, date, title }: Due): string =>
  JSON.stringify({
    type: "reminder_due",
    reminder: { id: Number(id), task_id: Number(taskId), date, type: "reminder" },
    task: { id: Number(taskId), list_id: Number(listId), title, type: "task" },
  })

/** Loads what encrypts, which the first push would have to wait for; a node answers before. */
export const loadEncryption = () => import("web-push")

/**
 * Encrypts a reminder for one browser (RFC 8291) and signs for this service. A push service that holds an earlier attempt of
 * the same reminder replaces it by this one.
 * @throws for a key that is no point of the curve
 */
export async function messageOf(push: TakenPush, due: Due, vapidDetails: VapidDetails): Promise<PushMessage> {
  const { default: webPush } = await loadEncryption()
  const { endpoint, headers, body } = webPush.generateRequestDetails(subscriptionOf(push), contentOf(due), {
    vapidDetails: { ...vapidDetails },
    TTL: Math.max(60, Math.floor(WORTH_TELLING_SECONDS - push.ageSeconds)),
    urgency: "high",
    topic: `reminder-${due.id}`,
  })
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return { url: endpoint, headers: Object.fromEntries(texts), body: body as Buffer }
}

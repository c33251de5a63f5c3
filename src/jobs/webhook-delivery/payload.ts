import { parentsOf } from "../../events/event.parents.js"
import type { Event } from "../../events/event.type.js"
import type { Id } from "../../statement.js"

/** The body that tells a webhook of a change: the same at each attempt. (§9 Webhook body) */
export function payloadOf(event: Event, webhookId: Id, configuration: string): string {
  const before = event.before ?? {}
  return JSON.stringify({
    operation: event.operation.toLowerCase(),
    subject: {
      type: event.subjectType,
      id: Number(event.subjectId),
      revision: event.revision,
      parents: parentsOf(event),
    },
    before,
    // What is deleted shows what it was last in both, so that a receiver needs to read one of them only.
    after: event.after ?? before,
    client: { request_id: event.requestId ?? undefined },
    user_id: event.actorId === null ? undefined : Number(event.actorId),
    list_id: Number(event.listId),
    list_revision: event.listRevision,
    webhook_id: Number(webhookId),
    configuration,
    enqueued_at: event.occurredAt,
  })
}

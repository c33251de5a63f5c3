import { parentsOf } from "../../events/event.parents.js"
import { objectTypeOf } from "../../events/event.subject.js"
import type { Event } from "../../events/event.type.js"
import type { Id } from "../../statement.js"

type Told = {
  readonly webhookId: Id
  readonly configuration: string
  /** The place behind the event, as the webhook's maker may go on from it. */
  readonly cursor: string | undefined
}

/** The body that tells a webhook of a change: the same at each attempt. (§9 Webhook body) */
export function payloadOf(event: Event, { webhookId, configuration, cursor }: Told): string {
  const before = event.before ?? {}
  return JSON.stringify({
    event: event.kind,
    operation: event.operation.toLowerCase(),
    subject: {
      type: objectTypeOf(event.subjectType),
      id: Number(event.subjectId),
      revision: event.revision,
      parents: parentsOf(event),
    },
    before,
    // What is deleted shows what it was last in both, so that a receiver needs to read one of them only.
    after: event.after ?? before,
    client: { request_id: event.requestId ?? undefined },
    user_id: event.actorId === null ? undefined : Number(event.actorId),
    list_id: event.listId === null ? undefined : Number(event.listId),
    list_revision: event.listRevision ?? undefined,
    webhook_id: Number(webhookId),
    configuration,
    enqueued_at: event.occurredAt,
    cursor,
  })
}

import type { Viewer } from "../context.js"
import { openAccountStream } from "./account-stream.js"
import type { Topic } from "./event.js"
import type { AccountEvent } from "./event.type.js"
import type { Receiver, Stream, StreamParts } from "./stream.js"

/**
 * Opens the viewer's reminders as they fall due, from now on or behind the cursor `after` of one of them. Whether the task was
 * visible to the user was checked at that instant. (§9 reminderDue)
 */
export function openReminderStream(
  parts: StreamParts,
  viewer: Viewer,
  { after }: { after?: string | null },
  receiver: Receiver,
): Stream {
  if (after != null) return openAccountStream(parts, viewer, { after, signal: "reminder_due" }, receiver)
  const { pubSub } = parts
  const topic: Topic = `reminder_due:${viewer.userId}`
  const hear = (event: AccountEvent) => receiver.send(event)
  const stop = () => pubSub.forget(topic, hear)
  pubSub.listen(topic, hear)
  return {
    viewer,
    access: () => [],
    lose() {},
    fail(error) {
      stop()
      receiver.fail(error)
    },
    stop,
  }
}

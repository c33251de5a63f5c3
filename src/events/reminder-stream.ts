import type { Viewer } from "../context.js"
import type { Topic } from "./event.js"
import type { AccountEvent } from "./event.type.js"
import type { Receiver, Stream, StreamParts } from "./stream.js"

/** Opens the viewer's reminders as they fall due, from now on. Whether the task was visible to the user was checked at that instant. (§9 reminderDue) */
export function openReminderStream({ pubSub }: StreamParts, viewer: Viewer, _args: object, receiver: Receiver): Stream {
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

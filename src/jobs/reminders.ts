import type { Live } from "../events/live.js"
import type { Meters } from "../telemetry/meters.js"
import { startDueReminders } from "./due-reminders.js"
import { startReminderPush } from "./reminder-push/push-reminders.js"
import type { VapidKeys } from "./reminder-push/vapid.js"

type DueParts = Parameters<typeof startDueReminders>[0]
type PushParts = Parameters<typeof startReminderPush>[0]
type Parts = Pick<DueParts, "log"> &
  Pick<PushParts, "db" | "egress"> & {
    readonly meters?: Pick<Meters, "reminded" | "pushed">
    readonly live: Pick<Live, "wakeUp" | "pubSub">
    readonly vapid: VapidKeys
    /** Whom push services may turn to: an address, with or without a name before it. */
    readonly mailFrom: string
  }

/** Watches over reminders: tells them to sockets as they fall due, and pushes them to devices at once. */
export function startReminders({ db, live, log, egress, vapid, mailFrom, meters }: Parts): { stop(): Promise<void> } {
  const subject = `mailto:${/<(.+)>$/.exec(mailFrom)?.[1] ?? mailFrom}`
  const push = startReminderPush({ db, log, egress, vapid: { ...vapid, subject }, onPushed: meters?.pushed })
  const due = startDueReminders({
    db,
    pubSub: live.pubSub,
    log,
    onNotified(count) {
      meters?.reminded(count)
      live.wakeUp()
      push.wake()
    },
  })
  return {
    async stop() {
      await due.stop()
      await push.stop()
    },
  }
}

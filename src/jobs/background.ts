import type { Mailer } from "../accounts/mailer.js"
import { webhookDisabledMail } from "../accounts/mails.js"
import type { DatabaseClient } from "../database/client.js"
import type { Cursors } from "../events/cursor.js"
import type { Live } from "../events/live.js"
import type { Log } from "../log.js"
import type { EgressPolicy } from "../outbound/egress-policy.js"
import type { Meters } from "../telemetry/meters.js"
import type { Tracing } from "../telemetry/tracing.js"
import { startRemovalOfLists } from "./deleted-lists.js"
import { startDueDays } from "./due-days.js"
import { eventMaintenance } from "./event-retention.js"
import { accessMaintenance } from "./expired-access.js"
import { startInvitationMails } from "./invitation-mails.js"
import { type MaintenanceJobs, startMaintenance } from "./maintenance.js"
import type { VapidKeys } from "./reminder-push/vapid.js"
import { startReminders } from "./reminders.js"
import { type DeliverySettings, startWebhookDelivery } from "./webhook-delivery/webhook-delivery.js"

/** What the background of a node needs of it. */
export type BackgroundParts = {
  readonly db: DatabaseClient
  readonly live: Live
  readonly cursors: Cursors
  readonly log: Log
  /** Where webhooks and pushes may go. */
  readonly egress: EgressPolicy
  readonly vapid: VapidKeys
  readonly mailer: Mailer
  readonly mailFrom: string
  /** What one of the nodes does from time to time, beside what concerns access and events. */
  readonly maintenance: MaintenanceJobs
  readonly meters: Meters
  readonly tracing: Tracing | undefined
  /** Where clients reach the node; known when it listens. */
  publicUrl(): string
  /** Only tests set them. */
  readonly deliverySettings: DeliverySettings | undefined
}

/** Everything that a node does without being asked. */
export type Background = {
  /** To be called when something was committed: there may be deliveries to make. */
  wake(): void
  /** Lets deliveries in flight end; to be called while requests are drained. */
  stopDelivering(): Promise<void>
  /** Stops the rest, when the last request has been answered. */
  stop(): Promise<void>
}

/** Starts webhooks, reminders, the mails of invitations, the removal of what was in deleted lists, and maintenance. */
export function startBackground({
  db,
  live,
  log,
  egress,
  mailer,
  meters,
  tracing,
  ...parts
}: BackgroundParts): Background {
  const delivery = startWebhookDelivery(
    {
      db,
      pubSub: live.pubSub,
      cursors: parts.cursors,
      log,
      egress,
      traceAttempt: tracing?.attempt,
      onAttempt: meters.attempted,
      onDisabled({ webhookId, url, makerEmail }) {
        log.warn({ webhook: webhookId }, "a webhook was disabled: it did not take what was sent")
        void mailer.later(async () => webhookDisabledMail(makerEmail, parts.publicUrl(), url))
      },
    },
    parts.deliverySettings,
  )
  const maintenance = startMaintenance({
    db,
    log,
    jobs: { ...parts.maintenance, ...accessMaintenance(db), ...eventMaintenance(db, log) },
  })
  const invitations = startInvitationMails({ db, mailer, log, publicUrl: parts.publicUrl })
  const removal = startRemovalOfLists({ db, log, pubSub: live.pubSub })
  const days = startDueDays({ db, log, onNotified: live.wakeUp })
  const reminders = startReminders({ db, live, log, egress, meters, vapid: parts.vapid, mailFrom: parts.mailFrom })
  return {
    wake: delivery.wake,
    stopDelivering: delivery.stop,
    async stop() {
      await Promise.all([reminders.stop(), days.stop(), invitations.stop(), removal.stop(), maintenance.stop()])
    },
  }
}

import { Arg, Ctx, Extensions, FieldResolver, Int, Resolver, Root, Subscription } from "type-graphql"
import { Needs } from "../access/needs.js"
import type { Context } from "../context.js"
import { File } from "../resources/file/file.type.js"
import { Reminder } from "../resources/reminder/reminder.type.js"
import { ID, Text } from "../scalars/scalars.js"
import type { Id } from "../statement.js"
import { cursorBehind } from "./cursor-behind.js"
import { AccountEvent, Event } from "./event.type.js"

/** Subscribers share streams and executions, which graphql-js knows nothing of: they are opened by field name. */
const subscribe = (): never => {
  throw new TypeError("Subscriptions are opened by their carriers.")
}

/** What happens, as it happens. (§9 Events) */
@Resolver(() => AccountEvent)
export class EventResolver {
  @FieldResolver(() => String, {
    description:
      "Where to resume after this event: `after` of the next `accountUpdated` or `changes`, at any node. Valid for 30 days from now.",
  })
  cursor(@Root() event: AccountEvent, @Ctx() { cursors, viewer }: Context): string {
    return cursorBehind(cursors, viewer.userId, event) as string
  }

  @Needs("read")
  @Subscription(() => Event, {
    subscribe,
    description:
      "Subscribe to a list: every change of it and of what is in it, in the order of its revisions. The list's own deletion is the last event; losing access ends the subscription without one.",
  })
  listUpdated(
    @Root() event: Event,
    @Arg("listId", () => ID, { description: "The list's identifier." }) _listId: Id,
    @Arg("sinceRevision", () => Int, {
      nullable: true,
      description:
        "A revision of the list that the client knows: every later change comes first. RESYNC_REQUIRED when the log of 30 days does not reach back to it, or the viewer was not a member then.",
    })
    _sinceRevision?: number | null,
    @Arg("sinceFingerprint", () => String, {
      nullable: true,
      description:
        "The fingerprint of the event that made `sinceRevision`: RESYNC_REQUIRED when that was another one, because the service was restored from a backup.",
    })
    _sinceFingerprint?: string | null,
  ): Event {
    return event
  }

  @Needs("read")
  @Subscription(() => AccountEvent, {
    subscribe,
    description:
      "Subscribe to everything that the viewer can see. Of lists that they are only invited to: the list itself and its memberships.",
  })
  accountUpdated(
    @Root() event: AccountEvent,
    @Arg("after", () => Text, {
      nullable: true,
      description:
        "A cursor of an event, of `changes` or of `root`: every later event comes first. RESYNC_REQUIRED when it was given more than 30 days ago, or before the service was restored.",
    })
    _after?: string | null,
  ): AccountEvent {
    return event
  }

  @Extensions({ ofSubject: true })
  @Needs("read")
  @Subscription(() => File, {
    subscribe,
    description: "Subscribe to files that others attach, in one list or in all lists that the viewer is a member of.",
  })
  fileCreated(
    @Root() file: File,
    @Arg("listId", () => ID, { nullable: true, description: "The list's identifier; all lists when it is left out." })
    _listId?: Id | null,
  ): File {
    return file
  }

  @Extensions({ ofSubject: true })
  @Needs("read")
  @Subscription(() => Reminder, {
    subscribe,
    description:
      "Subscribe to the viewer's reminders as they fall due, from now on. Tasks that are completed or no longer visible to the viewer by then are left out.",
  })
  reminderDue(@Root() reminder: Reminder): Reminder {
    return reminder
  }
}

import { type Fields, type Id, instantOf } from "../statement.js"

/** A row as the triggers keep it in an event: its columns as JSON. */
export type RowSnapshot = Record<string, unknown>

/** What tells an event from every other, also from one that got the same number after a restore. */
export type Fingerprint = { readonly id: Id; readonly occurredAt: string }

/** Between which two snapshots of the database an event became visible: its place among the events of all lists. */
export type SnapshotInterval = {
  readonly history: string
  readonly before: string
  readonly after: string
  /** Set when the place behind the event is further on: no other event of the reader's lies between. */
  readonly last?: Fingerprint
}

/** Whom others see in place of a membership's user: until it is accepted an invitation by address does not tell whose that is. */
export const shownInstead = (membership: RowSnapshot | null): number | undefined =>
  membership?.state === "pending" ? ((membership.shown_user_id as number | null | undefined) ?? undefined) : undefined

/**
 * Where an event is heard: with its list, with the one user who sees it, and with the user whom it lets in or shuts out.
 * Names and pictures are also heard as those of people. Signals are heard by those who wait for them and by nobody else: ends
 * of tokens, reminders that fall due.
 */
export type Topic = `list:${Id}` | `user:${Id}` | `reminder_due:${Id}` | "access_token" | "people"

/** Subject types of events that announce no change: they are not part of what users see of their account. */
export const SIGNALS: readonly string[] = ["access_token", "reminder_due", "task_due"]

const COLUMNS = [
  "id",
  "xid",
  "list_id",
  "list_revision",
  "user_id",
  "operation",
  "subject_type",
  "subject_id",
  "revision",
  "actor_id",
  "request_id",
  "occurred_at",
  "before",
  "after",
]

/** The columns of a {@link ChangeEvent} for a select list. */
export const eventColumns = (row: string): string => COLUMNS.map((name) => `${row}."${name}"`).join(", ")

/** One change of one row, as the events table holds it. What the row was and is, is parsed when first asked for. (§9 Events) */
export class ChangeEvent {
  readonly id: Id
  /** The transaction that made the change. */
  readonly xid: number
  /** The list whose members see it; null for what only one user sees. */
  readonly listId: Id | null
  readonly listRevision: number | null
  /** The only user who sees it; null for what a list's members see. */
  readonly userId: Id | null
  readonly operation: "CREATE" | "UPDATE" | "DELETE"
  readonly subjectType: string
  readonly subjectId: Id
  readonly revision: number
  readonly actorId: Id | null
  readonly requestId: string | null
  readonly occurredAt: string
  /** Known where events of all lists are read in the order of the database. */
  readonly interval: SnapshotInterval | undefined

  readonly #before: string | null
  readonly #after: string | null
  #was: RowSnapshot | null | undefined
  #is: RowSnapshot | null | undefined

  /** @param fields a row whose columns from `offset` on are {@link eventColumns} */
  constructor(fields: Fields, offset = 0, interval?: SnapshotInterval) {
    const text = (index: number) => fields[offset + index] as string
    this.id = text(0)
    this.xid = Number(text(1))
    this.listId = fields[offset + 2] as Id | null
    this.listRevision = this.listId === null ? null : Number(text(3))
    this.userId = fields[offset + 4] as Id | null
    this.operation = text(5) as ChangeEvent["operation"]
    this.subjectType = text(6)
    this.subjectId = text(7)
    this.revision = Number(text(8))
    this.requestId = fields[offset + 10] as string | null
    this.occurredAt = instantOf(text(11))
    this.#before = fields[offset + 12] as string | null
    this.#after = fields[offset + 13] as string | null
    this.interval = interval
    this.actorId = this.shownActor(fields[offset + 9] as Id | null)
  }

  /** Who was invited by address is not told by what they do with the invitation before they accept it. */
  private shownActor(actorId: Id | null): Id | null {
    if (this.subjectType !== "membership" || actorId === null) return actorId
    const row = this.is ?? this.was
    const shown = String(row?.user_id) === actorId ? shownInstead(row) : undefined
    return shown === undefined ? actorId : String(shown)
  }

  /** How many characters what it holds takes. */
  get length(): number {
    return (this.#before?.length ?? 0) + (this.#after?.length ?? 0)
  }

  /** The row before the change; null when there was none. */
  get was(): RowSnapshot | null {
    if (this.#was === undefined) this.#was = this.#before === null ? null : JSON.parse(this.#before)
    return this.#was as RowSnapshot | null
  }

  /** The row after the change; null when it is gone. */
  get is(): RowSnapshot | null {
    if (this.#is === undefined) this.#is = this.#after === null ? null : JSON.parse(this.#after)
    return this.#is as RowSnapshot | null
  }

  /** What webhooks call it: `task.completed`, `reminder.due`. The database's event_kind() says the same. */
  get kind(): string {
    const { subjectType, operation } = this
    if (subjectType === "reminder_due" || subjectType === "task_due") return subjectType.replace("_", ".")
    if (operation !== "UPDATE") return `${subjectType}.${operation === "CREATE" ? "created" : "deleted"}`
    return `${subjectType}.${this.is?.completed === true && this.was?.completed === false ? "completed" : "updated"}`
  }

  /** Whose access to the list this event begins, changes or ends: a membership's user, a new list's owner. */
  get memberId(): Id | undefined {
    const isOfMember = this.subjectType === "membership"
    if (!isOfMember && !(this.subjectType === "list" && this.operation === "CREATE")) return undefined
    const id = (this.is ?? this.was)?.[isOfMember ? "user_id" : "owner_id"]
    return id === undefined ? undefined : String(id)
  }

  get topics(): readonly Topic[] {
    if (this.subjectType === "access_token") return ["access_token"]
    if (this.subjectType === "reminder_due") return [`reminder_due:${this.userId}`]
    if (this.listId === null && this.subjectType === "user") return [`user:${this.userId}`, "people"]
    if (this.subjectType === "task_due") return []
    if (this.listId === null) return [`user:${this.userId}`]
    const { memberId } = this
    return memberId === undefined ? [`list:${this.listId}`] : [`list:${this.listId}`, `user:${memberId}`]
  }
}

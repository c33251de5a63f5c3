/** A part of a task: `key` names it where it comes from, and names nothing else there. */
type Part = { readonly key: string; readonly createdAt?: string }

export type ParsedSubtask = Part & {
  readonly title: string
  readonly completed: boolean
  readonly completedAt?: string
}
export type ParsedNote = Part & { readonly content: string }
export type ParsedReminder = Part & { readonly date: string }
export type ParsedComment = Part & { readonly text: string }

/** A task to be made, within every limit. */
export type ParsedTask = Part & {
  readonly title: string
  readonly starred: boolean
  readonly completed: boolean
  readonly completedAt?: string
  readonly dueDate?: string
  readonly recurrenceType?: string
  readonly recurrenceCount?: number
  /** Whether it is assigned to the importing user; nobody else can be. */
  readonly isMine: boolean
  readonly subtasks: readonly ParsedSubtask[]
  readonly notes: readonly ParsedNote[]
  readonly reminders: readonly ParsedReminder[]
  readonly comments: readonly ParsedComment[]
}

/** A list to be made, its tasks in their order. */
export type ParsedList = Part & {
  readonly title: string
  /** Its tasks come into the inbox that is there already. */
  readonly isInbox: boolean
  /** The title of the folder that it lies in. */
  readonly folder?: string
  readonly tasks: readonly ParsedTask[]
}

/** What was not taken, or not as it was: where in the file, and why. */
export type Remark = { readonly place: string; readonly effect: "skipped" | "changed"; readonly reason: string }

/** What a file would make. */
export type ParsedImport = { readonly lists: readonly ParsedList[]; readonly remarks: readonly Remark[] }

/** The importing user, as files name people. */
export type Importer = { readonly name: string; readonly email: string }

/** What a reader of one format is given. */
export type Reading = {
  readonly importer: Importer
  /** The file's name without its ending: some formats say the list's title nowhere else. */
  readonly title: string
  readonly now: Date
}

/** Collects remarks while a file is read. */
export type Remarks = {
  readonly all: readonly Remark[]
  skip(place: string, reason: string): void
  change(place: string, reason: string): void
}

export function collectRemarks(): Remarks {
  const all: Remark[] = []
  return {
    all,
    skip: (place, reason) => void all.push({ place, effect: "skipped", reason }),
    change: (place, reason) => void all.push({ place, effect: "changed", reason }),
  }
}

/** A file that cannot be read at all; the message says where and what would be right. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile"
}

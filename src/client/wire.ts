// Printed by `npm run schema`: the types of schema.graphql as the REST interface shows and takes them.

/** A person with an account. */
export type User = {
  /** Its identifier. */ readonly id: number
  /** The name that other people see. */ readonly name: string
  /** The user's email address, in lower case. */ readonly email: string
  /** When the user signed up. */ readonly created_at: string
  /** When the user's name or picture last changed. */ readonly updated_at: string
  /** Grows with each change of the user, their settings and their reminders. */ readonly revision: number
  /** The kind of object. */ readonly type: "user"
}

/** A list of tasks, shared between its members. */
export type List = {
  /** Its identifier. */ readonly id: number
  /** Its title; `inbox` for an inbox. */ readonly title: string
  /** Whether it is an inbox. */ readonly list_type: "inbox" | "list"
  /** Whether it is marked as public. */ readonly public: boolean
  /** The kind of owner: always `user`. */ readonly owner_type: string
  /** The user who owns it. */ readonly owner_id: number
  /** When it was created. */ readonly created_at: string
  /** The user who created it. */ readonly created_by_id: number
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** Grows with each change of the list and of everything in it. */ readonly revision: number
  /** The kind of object. */ readonly type: "list"
}

/** Connects a user to a list. */
export type Membership = {
  /** Its identifier. */ readonly id: number
  /** The user. */ readonly user_id: number
  /** The list. */ readonly list_id: number
  /** Whether the user has accepted. */ readonly state: "pending" | "accepted"
  /** Whether the user owns the list. */ readonly owner: boolean
  /** Whether the user has muted the list. */ readonly muted: boolean
  /** Grows with each change of the membership. */ readonly revision: number
  /** The kind of object. */ readonly type: "membership"
}

/** A user's own group of lists. */
export type Folder = {
  /** Its identifier. */ readonly id: number
  /** Its title. */ readonly title: string
  /** The lists in it, in no particular order: the list position orders lists. */ readonly list_ids: readonly number[]
  /** The user who owns it. */ readonly user_id: number
  /** When it was created. */ readonly created_at: string
  /** The user who created it. */ readonly created_by_id: number
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** When it last changed. */ readonly updated_at: string
  /** Grows with each change of the folder. */ readonly revision: number
  /** The kind of object. */ readonly type: "folder"
}

/** Something to do, in a list. */
export type Task = {
  /** Its identifier. */ readonly id: number
  /** The list that it belongs to. */ readonly list_id: number
  /** Its title. */ readonly title: string
  /** The member whom it is assigned to. */ readonly assignee_id?: number
  /** When it was created. */ readonly created_at: string
  /** The user who created it. */ readonly created_by_id: number
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** The due date. */ readonly due_date?: string
  /** Whether it is starred. */ readonly starred: boolean
  /** Whether it is completed. */ readonly completed: boolean
  /** When it was completed. */ readonly completed_at?: string
  /** The user who completed it. */ readonly completed_by_id?: number
  /** The period of its recurrence, set together with recurrence_count. */ readonly recurrence_type?: "day" | "week" | "month" | "year"
  /** The number of periods between two occurrences, set together with recurrence_type. */ readonly recurrence_count?: number
  /** Grows with each change of the task and of everything in it. */ readonly revision: number
  /** The kind of object. */ readonly type: "task"
}

/** A step of a task. */
export type Subtask = {
  /** Its identifier. */ readonly id: number
  /** The task that it belongs to. */ readonly task_id: number
  /** Its title. */ readonly title: string
  /** Whether it is completed. */ readonly completed: boolean
  /** When it was completed. */ readonly completed_at?: string
  /** When it was created. */ readonly created_at: string
  /** The user who created it. */ readonly created_by_id: number
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** Grows with each change. */ readonly revision: number
  /** The kind of object. */ readonly type: "subtask"
}

/** A text attached to a task. */
export type Note = {
  /** Its identifier. */ readonly id: number
  /** The task that it belongs to. */ readonly task_id: number
  /** The text, possibly empty. */ readonly content: string
  /** When it was created. */ readonly created_at: string
  /** When it was last changed. */ readonly updated_at: string
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** Grows with each change. */ readonly revision: number
  /** The kind of object. */ readonly type: "note"
}

/** When a user wants to be reminded of a task. */
export type Reminder = {
  /** Its identifier. */ readonly id: number
  /** The task to be reminded of. */ readonly task_id: number
  /** When it is due. */ readonly date: string
  /** When it was created. */ readonly created_at: string
  /** When it was last changed. */ readonly updated_at: string
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** Grows with each change. */ readonly revision: number
  /** The kind of object. */ readonly type: "reminder"
}

/** A comment on a task. */
export type TaskComment = {
  /** Its identifier. */ readonly id: number
  /** The task that it is about. */ readonly task_id: number
  /** The text. */ readonly text: string
  /** When it was created. */ readonly created_at: string
  /** The X-Client-Request-Id of the request that created it. */ readonly created_by_request_id?: string
  /** Grows with each change, and when a member reads it. */ readonly revision: number
  /** The kind of object. */ readonly type: "task_comment"
  /** Its author. */ readonly author: CommentAuthor
  /** Whether the viewer has read it; their own comments always are. */ readonly read: boolean
}

/** The author of a comment. */
export type CommentAuthor = {
  /** The user's identifier. */ readonly id: number
  /** The user's name; null when the account is deleted. */ readonly name?: string
  /** The address of the author's picture, which opens without a token. */ readonly avatar: string
}

/** A file that is attached to a task. */
export type File = {
  /** Its identifier. */ readonly id: number
  /** The task that it belongs to. */ readonly task_id: number
  /** The list that the task belongs to. */ readonly list_id: number
  /** The user who attached it. */ readonly user_id: number
  /** What it is called. */ readonly file_name: string
  /** Its media type, as the client gave it. */ readonly content_type: string
  /** Its size in bytes. */ readonly file_size: number
  /** When it was created by its client's clock; files and comments are sorted by it. */ readonly local_created_at?: string
  /** When it was attached. */ readonly created_at: string
  /** The X-Client-Request-Id of the request that attached it. */ readonly created_by_request_id?: string
  /** When it was last changed. */ readonly updated_at: string
  /** Grows with each change. */ readonly revision: number
  /** The kind of object. */ readonly type: "file"
  /** Where to download its content, without headers. */ readonly url: string
}

/** The order of a user's lists. */
export type ListPosition = {
  /** The user's identifier. */ readonly id: number
  /** The ids in their order, as they were last sent. */ readonly values: readonly number[]
  /** Grows with each change of the order; 1 before the first. */ readonly revision: number
  /** The kind of object. */ readonly type: "list_position"
}

/** The order of a list's tasks. */
export type TaskPosition = {
  /** The list's identifier. */ readonly id: number
  /** The list's identifier. */ readonly list_id: number
  /** The ids in their order, as they were last sent. */ readonly values: readonly number[]
  /** Grows with each change of the order; 1 before the first. */ readonly revision: number
  /** The kind of object. */ readonly type: "task_position"
}

/** The order of a task's subtasks. */
export type SubtaskPosition = {
  /** The task's identifier. */ readonly id: number
  /** The task's identifier. */ readonly task_id: number
  /** The ids in their order, as they were last sent. */ readonly values: readonly number[]
  /** Grows with each change of the order; 1 before the first. */ readonly revision: number
  /** The kind of object. */ readonly type: "subtask_position"
}

/** A value that a user's clients store. */
export type Setting = {
  /** Its identifier. */ readonly id: number
  /** Its key, unique for the user. */ readonly key: string
  /** Its value. */ readonly value: string
  /** Grows with each change of the setting. */ readonly revision: number
  /** The kind of object. */ readonly type: "setting"
}

/** Everything that a client keeps, by its kind. */
export type Objects = {
  readonly user: User
  readonly list: List
  readonly membership: Membership
  readonly folder: Folder
  readonly task: Task
  readonly subtask: Subtask
  readonly note: Note
  readonly reminder: Reminder
  readonly task_comment: TaskComment
  readonly file: File
  readonly list_position: ListPosition
  readonly task_position: TaskPosition
  readonly subtask_position: SubtaskPosition
  readonly setting: Setting
}

/** What can be made, and of what. */
export type News = {
  /** The fields of a new list. */ readonly list: { readonly title: string; readonly public?: boolean | null }
  /** The fields of a new membership: a list, and a user by user_id or by email. */ readonly membership: { readonly list_id: number; readonly user_id?: number | null; readonly email?: string | null; readonly muted?: boolean | null }
  /** The fields of a new folder. */ readonly folder: { readonly title: string; readonly list_ids: readonly number[] }
  /** The fields of a new task. */ readonly task: { readonly list_id: number; readonly title: string; readonly assignee_id?: number | null; readonly completed?: boolean | null; readonly recurrence_type?: "day" | "week" | "month" | "year" | null; readonly recurrence_count?: number | null; readonly due_date?: string | null; readonly starred?: boolean | null }
  /** The fields of a new subtask. */ readonly subtask: { readonly task_id: number; readonly title: string; readonly completed?: boolean | null }
  /** The fields of a new note. */ readonly note: { readonly task_id: number; readonly content: string }
  /** The fields of a new reminder. */ readonly reminder: { readonly task_id: number; readonly date: string; readonly created_by_device_udid?: string | null }
  /** The fields of a new comment. */ readonly task_comment: { readonly task_id: number; readonly text: string }
  /** The fields of a new setting. */ readonly setting: { readonly key: string; readonly value: string }
}

/** What can be changed, and what of it; null removes what may be unset. */
export type Changes = {
  /** A change of the current user. */ readonly user: { readonly name: string }
  /** A change of a list. */ readonly list: { readonly title?: string; readonly public?: boolean | null }
  /** A change of the viewer's own membership. */ readonly membership: { readonly state?: "pending" | "accepted" | null; readonly muted?: boolean | null }
  /** A change of a folder. */ readonly folder: { readonly title?: string; readonly list_ids?: readonly number[] | null }
  /** A change of a task. */ readonly task: { readonly list_id?: number | null; readonly title?: string; readonly assignee_id?: number | null; readonly completed?: boolean | null; readonly recurrence_type?: "day" | "week" | "month" | "year" | null; readonly recurrence_count?: number | null; readonly due_date?: string | null; readonly starred?: boolean | null }
  /** A change of a subtask. */ readonly subtask: { readonly title?: string; readonly completed?: boolean | null }
  /** A change of a note. */ readonly note: { readonly content: string }
  /** A change of a reminder. */ readonly reminder: { readonly date: string }
  /** A change of a comment. */ readonly task_comment: { readonly text?: string | null; readonly read?: boolean | null }
  /** A change of a setting. */ readonly setting: { readonly key?: string | null; readonly value?: string | null }
}

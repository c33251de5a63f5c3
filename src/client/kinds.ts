import type * as wire from "./wire.js"

/** Everything that the view holds, by its kind: the member `type` of each object. */
export type Objects = {
  user: wire.User
  list: wire.List
  membership: wire.Membership
  folder: wire.Folder
  task: wire.Task
  subtask: wire.Subtask
  note: wire.Note
  reminder: wire.Reminder
  task_comment: wire.TaskComment
  file: wire.File
  list_position: wire.ListPosition
  task_position: wire.TaskPosition
  subtask_position: wire.SubtaskPosition
  setting: wire.Setting
}
export type Kind = keyof Objects

/** What can be made, and of what. */
export type News = {
  list: wire.NewList
  membership: wire.NewMembership
  folder: wire.NewFolder
  task: wire.NewTask
  subtask: wire.NewSubtask
  note: wire.NewNote
  reminder: wire.NewReminder
  task_comment: wire.NewTaskComment
  setting: wire.NewSetting
}

/** What can be changed, and what of it. Null removes what may be unset. */
export type Changes = {
  user: wire.UserChanges
  list: wire.ListChanges
  membership: wire.MembershipChanges
  folder: wire.FolderChanges
  task: wire.TaskChanges
  subtask: wire.SubtaskChanges
  note: wire.NoteChanges
  reminder: wire.ReminderChanges
  task_comment: wire.TaskCommentChanges
  setting: wire.SettingChanges
}

/** What can be deleted. */
export type Deletable = Exclude<Kind, "user" | `${string}_position`>
/** What stands in an order that people choose. */
export type Movable = "list" | "task" | "subtask"

/** An object of any kind, as far as all are alike. */
export type AnyObject = { readonly id: number; readonly revision: number; readonly [member: string]: unknown }

type Place = {
  /** Where the REST interface has it. */
  readonly path: string
  /** The kind of object that it is in, and the member that names that one. */
  readonly parent?: readonly [kind: Kind, member: string]
}

/** Where each kind is. */
export const KINDS: Readonly<Record<Kind, Place>> = {
  user: { path: "/user" },
  list: { path: "/lists" },
  membership: { path: "/memberships", parent: ["list", "list_id"] },
  folder: { path: "/folders" },
  task: { path: "/tasks", parent: ["list", "list_id"] },
  subtask: { path: "/subtasks", parent: ["task", "task_id"] },
  note: { path: "/notes", parent: ["task", "task_id"] },
  reminder: { path: "/reminders", parent: ["task", "task_id"] },
  task_comment: { path: "/task_comments", parent: ["task", "task_id"] },
  file: { path: "/files", parent: ["task", "task_id"] },
  list_position: { path: "/list_positions" },
  task_position: { path: "/task_positions", parent: ["list", "id"] },
  subtask_position: { path: "/subtask_positions", parent: ["task", "id"] },
  setting: { path: "/settings" },
}

/** Names one object among all. */
export const keyOf = (kind: Kind, id: number): string => `${kind}/${id}`

/** Names the object that another is in; undefined for what is in nothing. */
export function parentOf(kind: Kind, object: AnyObject): readonly [kind: Kind, id: number] | undefined {
  const { parent } = KINDS[kind]
  return parent && [parent[0], object[parent[1]] as number]
}

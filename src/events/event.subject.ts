import { createUnionType } from "type-graphql"
import { File, files } from "../resources/file/file.type.js"
import { Folder, folders } from "../resources/folder/folder.type.js"
import { List, lists } from "../resources/list/list.type.js"
import { Membership, memberships } from "../resources/membership/membership.type.js"
import { Note, notes } from "../resources/note/note.type.js"
import {
  ListPosition,
  listPositions,
  SubtaskPosition,
  subtaskPositions,
  TaskPosition,
  taskPositions,
} from "../resources/position/position.type.js"
import { Reminder, reminders } from "../resources/reminder/reminder.type.js"
import { Setting, settings } from "../resources/setting/setting.type.js"
import { Subtask, subtasks } from "../resources/subtask/subtask.type.js"
import { Task, tasks } from "../resources/task/task.type.js"
import { TaskComment, taskComments } from "../resources/task-comment/task-comment.type.js"
import { User, users } from "../resources/user/user.type.js"
import { Webhook, webhooks } from "../resources/webhook/webhook.type.js"
import type { Table } from "../statement.js"
import { type RowSnapshot, shownInstead } from "./event.js"

type SubjectKind = {
  readonly table: Table<object>
  /** Its type in GraphQL. */
  readonly type: string
  /** Columns that its table holds and the REST contract does not show. */
  readonly unseen?: readonly string[]
  /** What answers call its id as well, beside `id`: there is one for each list or task. */
  readonly alsoId?: string
}

/** Everything whose changes are events, by the name that events and the REST contract give it. */
const kinds: Readonly<Record<string, SubjectKind>> = {
  list: { table: lists, type: "List" },
  membership: { table: memberships, type: "Membership" },
  task: { table: tasks, type: "Task" },
  subtask: { table: subtasks, type: "Subtask" },
  note: { table: notes, type: "Note", unseen: ["created_by_id"] },
  task_comment: { table: taskComments, type: "TaskComment", unseen: ["created_by_id"] },
  file: { table: files, type: "File" },
  reminder: { table: reminders, type: "Reminder" },
  reminder_due: { table: reminders, type: "Reminder" },
  task_due: { table: tasks, type: "Task" },
  folder: { table: folders, type: "Folder" },
  setting: { table: settings, type: "Setting" },
  user: { table: users, type: "User", unseen: ["avatar_url"] },
  webhook: { table: webhooks, type: "Webhook" },
  list_position: { table: listPositions, type: "ListPosition" },
  task_position: { table: taskPositions, type: "TaskPosition", alsoId: "list_id" },
  subtask_position: { table: subtaskPositions, type: "SubtaskPosition", alsoId: "task_id" },
}

/** The object that changed, as its type. */
export const EventSubject = createUnionType({
  name: "EventSubject",
  description: "The object that an event is about.",
  types: () =>
    [
      List,
      Membership,
      Task,
      Subtask,
      Note,
      TaskComment,
      File,
      Reminder,
      Folder,
      Setting,
      User,
      Webhook,
      ListPosition,
      TaskPosition,
      SubtaskPosition,
    ] as const,
  resolveType: (value) => (value as unknown as Subject).__typename,
})

/** An object made of an event's snapshot; what is not in the row itself its fields look up. */
export type Subject = { readonly __typename: string }

/** The object as its GraphQL type, as it was when the event happened. Undefined for a kind that this version does not know. */
export function subjectOf(subjectType: string, snapshot: RowSnapshot): Subject | undefined {
  const kind = kinds[subjectType]
  return kind && { __typename: kind.type, ...kind.table.readSnapshot(completed(kind, snapshot)) }
}

/** The kind of object that an event is about, as its REST member `type` has it. */
export const objectTypeOf = (subjectType: string): string => subjectType.replace(/_due$/, "")

/** The object as the REST contract shows it, without what depends on the reader. */
export function restObjectOf(subjectType: string, snapshot: RowSnapshot): Record<string, unknown> | undefined {
  const kind = kinds[subjectType]
  if (kind === undefined) return undefined
  const shown = kind.table.showSnapshot(completed(kind, snapshot))
  for (const name of kind.unseen ?? []) delete shown[name]
  return { ...shown, type: objectTypeOf(subjectType) }
}

function completed({ alsoId }: SubjectKind, snapshot: RowSnapshot): RowSnapshot {
  if (alsoId !== undefined) return { ...snapshot, [alsoId]: snapshot.id }
  const shown = shownInstead(snapshot)
  return shown === undefined ? snapshot : { ...snapshot, user_id: shown }
}

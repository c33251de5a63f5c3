import type { ChangeEvent } from "./event.js"

/** An object as others point to it: its REST `type` and id. */
export type Reference = { readonly type: string; readonly id: number }

/** What an object lies in, by a member of its row; its list is the event's. */
const HOLDER: Readonly<Record<string, string>> = {
  subtask: "task_id",
  note: "task_id",
  task_comment: "task_id",
  file: "task_id",
  reminder: "task_id",
  reminder_due: "task_id",
  subtask_position: "id",
}

/** What the object of an event lies in, nearest first: its task, then its list. (§9) */
export function parentsOf(event: ChangeEvent): Reference[] {
  const parents: Reference[] = []
  const holder = HOLDER[event.subjectType]
  if (holder !== undefined) parents.push({ type: "task", id: Number((event.is ?? event.was)?.[holder]) })
  const listId = event.subjectType === "task_due" ? event.is?.list_id : event.listId
  if (listId != null && event.subjectType !== "list") parents.push({ type: "list", id: Number(listId) })
  return parents
}

import type { Command, Values } from "./command.js"
import type { AnyObject, Kind } from "./kinds.js"
import type { CommentAuthor } from "./wire.js"

/** An object as a command leaves it; undefined where there is none then. @param by its author */
export function after(object: AnyObject | undefined, command: Command, by: CommentAuthor): AnyObject | undefined {
  if (command.action === "create") return drafted(command, by)
  return command.action === "delete" || object === undefined ? undefined : changed(object, command, by)
}

/** What a new object looks like until the service has made it. */
function drafted({ kind, target, at, values }: Command, by: CommentAuthor): AnyObject {
  const own: Partial<Record<Kind, Values>> = {
    list: { list_type: "list", public: false, owner_type: "user", owner_id: by.id },
    membership: { state: "pending", owner: false, muted: false },
    folder: { user_id: by.id },
    task: { starred: false, completed: false },
    subtask: { completed: false },
    task_comment: { read: true, author: by },
  }
  const made = { created_at: at, updated_at: at, created_by_id: by.id }
  return { ...made, ...own[kind], ...set(values), id: target, revision: 0, type: kind }
}

/** An object as a change leaves it. */
function changed(object: AnyObject, { kind, values, at }: Command, by: CommentAuthor): AnyObject {
  const { completed } = values
  const whose = kind === "task" ? { completed_by_id: completed ? by.id : null } : {}
  const completion = { completed_at: completed ? at : null, ...whose }
  const isTurned = completed !== undefined && completed !== object.completed
  return set({ ...object, ...values, ...(isTurned && completion) }) as AnyObject
}

/** Without what is unset. */
const set = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined))

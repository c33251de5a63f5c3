import { Refusal, stringScalar } from "./scalars.js"

const TYPES = [
  ...["list", "membership", "task", "subtask", "note", "task_comment", "file", "reminder", "folder", "setting"],
  ...["user", "webhook", "list_position", "task_position", "subtask_position"],
]

/** Everything that a webhook may be told, by the names that its maker gives in `events`. */
export const EVENT_KINDS: readonly string[] = [
  ...TYPES.flatMap((type) => {
    const completed = type === "task" || type === "subtask" ? [`${type}.completed`] : []
    return [`${type}.created`, `${type}.updated`, ...completed, `${type}.deleted`]
  }),
  "reminder.due",
  "task.due",
]

/** The name of what a webhook is told. */
export const EventKind = stringScalar({
  name: "EventKind",
  description:
    "A type and what happened to it: `task.created`, `task.updated`, `task.completed`, `task.deleted` and so on, `reminder.due`, `task.due`. Completing is no `updated`.",
  check: (value) => {
    if (!EVENT_KINDS.includes(value)) throw new Refusal(`must name one of ${EVENT_KINDS.join(", ")}`)
    return value
  },
})

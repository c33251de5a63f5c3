// What somebody does with tasks: each shows at once, and can be taken back for five seconds.
import type { Changes, Deletable, Movable, Task } from "../../../../client/client.js"
import { dayInWords, nameOf, today } from "./format.js"
import { client } from "./session.js"
import { t } from "./texts.js"
import { say } from "./toast.js"

const HOLD_MS = 5_000

const tasksOf = (ids: readonly number[]): Task[] => ids.flatMap((id) => client.view.get("task", id) ?? [])

const isRecurring = (task: Task): boolean => task.recurrence_type !== undefined

/**
 * Sets members of tasks. Gives what sets them back. That a recurring task is completed is held as deletions are: once the service
 * has made the next one, there is no way back.
 */
function change(tasks: readonly Task[], values: Changes["task"]): () => void {
  const ways = tasks.map((task): (() => void) => {
    const { id } = task
    const members = Object.keys(values) as (keyof Task & keyof Changes["task"])[]
    const before = Object.fromEntries(members.map((member) => [member, task[member] ?? null]))
    const isHeld = values.completed === true && isRecurring(task)
    const { command } = client.update("task", id, values, isHeld ? { holdMs: HOLD_MS } : {})
    if (isHeld) return () => client.drop(command)
    return () => void (client.view.get("task", id) && client.update("task", id, before))
  })
  return () => {
    if (!ways.map(isDone).every(Boolean)) throw new Error("For some of it, it is too late.")
  }
}

/** Does something; false: it is too late for it. */
function isDone(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

/** Takes back that a task was completed, where that has not been sent. */
const isTakenBack = ({ id }: Task): boolean =>
  client.view
    .waiting()
    .some(
      ({ id: command, kind, target, heldUntil, values }) =>
        kind === "task" && target === id && heldUntil && values.completed && isDone(() => client.drop(command)),
    )

export function setCompleted(ids: readonly number[], completed: boolean): void {
  const tasks = tasksOf(ids).filter((task) => task.completed !== completed)
  if (tasks.length === 0) return
  const left = tasks.filter((task) => completed || !isTakenBack(task))
  const undo = change(left, { completed })
  const text = completed ? t.taskCompleted(tasks.length) : t.taskReopened(tasks.length)
  say(text, left.length > 0 ? undo : undefined, completed && left.some(isRecurring))
}

export function setStarred(ids: readonly number[], starred: boolean): void {
  const tasks = tasksOf(ids).filter((task) => task.starred !== starred)
  if (tasks.length === 0) return
  const undo = change(tasks, { starred })
  say(t.taskStarred(tasks.length, starred), undo)
}

export function setDue(ids: readonly number[], day: string | null): void {
  const tasks = tasksOf(ids)
  const undo = change(tasks, { due_date: day })
  const text = day === null ? t.taskUndated(tasks.length) : t.taskDated(tasks.length, dayInWords(day, today.get()))
  say(text, undo)
}

/** Deletes something in five seconds; until then it can be taken back. @param text what is said of it */
export function remove(kind: Deletable, ids: readonly number[], text: string): void {
  const there = ids.filter((id) => client.view.get(kind, id) !== undefined)
  const given = there.map((id) => client.delete(kind, id, { holdMs: HOLD_MS }))
  say(
    text,
    () => {
      if (!given.map(({ command }) => isDone(() => client.drop(command))).every(Boolean))
        throw new Error("For some of it, it is too late.")
    },
    true,
  )
}

export const removeTasks = (ids: readonly number[]): void => remove("task", ids, t.taskDeleted(ids.length))

/** The order that something stands in. */
function orderOf(kind: Movable, id: number): readonly { readonly id: number }[] {
  const { view } = client
  if (kind === "list") return view.lists()
  if (kind === "subtask") return view.subtasks(view.get("subtask", id)?.task_id ?? 0)
  const task = view.get("task", id)
  return task ? view.tasks(task.list_id, task.completed) : []
}

/** Puts things behind another of their order; null: first. Gives what puts them back. */
export function putBehind(kind: Movable, ids: readonly number[], after: number | null): () => void {
  const before = orderOf(kind, ids[0] ?? 0).map(({ id }) => id)
  let behind = after
  for (const id of ids) {
    client.move(kind, id, behind)
    behind = id
  }
  return () => {
    for (const id of [...ids].sort((one, other) => before.indexOf(one) - before.indexOf(other)))
      if (client.view.get(kind, id)) client.move(kind, id, before[before.indexOf(id) - 1] ?? null)
  }
}

/** Moves tasks within their list. */
export function placeTasks(ids: readonly number[], after: number | null): void {
  if (ids.length === 0 || (after !== null && ids.includes(after))) return
  say(t.taskPlaced(ids.length), putBehind("task", ids, after))
}

/** Moves something one place up or down. */
export function step(kind: Movable, id: number, by: -1 | 1, order = orderOf(kind, id)): boolean {
  const place = order.findIndex((one) => one.id === id)
  const to = place + by
  if (place < 0 || to < 0 || to >= order.length) return false
  client.move(kind, id, (by < 0 ? order[to - 1] : order[to])?.id ?? null)
  return true
}

/** Moves tasks to another list. */
export function moveTasks(ids: readonly number[], listId: number): void {
  const list = client.view.get("list", listId)
  const tasks = tasksOf(ids).filter((task) => task.list_id !== list?.id)
  if (list === undefined || tasks.length === 0) return
  const places = tasks.map((task) => {
    const order = client.view.tasks(task.list_id, task.completed)
    return [task, order[order.indexOf(task) - 1]?.id ?? null] as const
  })
  for (const { id } of tasks) client.update("task", id, { list_id: list.id })
  say(t.taskMoved(tasks.length, nameOf(list)), () => {
    for (const [{ id, list_id, assignee_id = null }, after] of places) {
      if (client.view.get("task", id) === undefined) continue
      client.update("task", id, { list_id, assignee_id })
      client.move("task", id, after)
    }
  })
}

import type { AnyObject, Kind } from "./kinds.js"
import type { Task } from "./wire.js"

/** Which tasks: what `GET /api/v1/tasks/find` takes. All that is said has to hold. Days are `YYYY-MM-DD`, instants ISO 8601. */
export type Filter = {
  /** Text that the title has, or a note, a subtask, a comment or the name of a file. */
  readonly q?: string
  readonly list_ids?: readonly number[]
  readonly completed?: boolean
  readonly starred?: boolean
  readonly assignee_id?: number | "me"
  readonly due_from?: string
  readonly due_to?: string
  readonly due?: "none" | "any"
  readonly completed_from?: string
  readonly completed_to?: string
  readonly sort?: `${"-" | ""}${"due_date" | "created_at" | "completed_at" | "title"}`
}

type SmartList = "today" | "week" | "overdue" | "starred" | "assigned" | "undated" | "completed"

/** The filters of the usual smart lists. @param today the user's day, as only the client knows it */
export function smartLists(today: string): Readonly<Record<SmartList, Filter>> {
  const day = (days: number) => new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
  return {
    today: { completed: false, due_from: today, due_to: today },
    week: { completed: false, due_from: today, due_to: day(6) },
    overdue: { completed: false, due_to: day(-1) },
    starred: { completed: false, starred: true },
    assigned: { completed: false, assignee_id: "me" },
    undated: { completed: false, due: "none" },
    /** Since a week ago. */
    completed: { completed_from: `${day(-7)}T00:00:00Z`, sort: "-completed_at" },
  }
}

type All = (kind: Kind, parent?: number) => readonly AnyObject[]

/** Finds tasks in what a view holds. */
export function found(filter: Filter, all: All, viewerId: number | undefined): readonly Task[] {
  const { list_ids, sort = "due_date", q = "" } = filter
  const among = list_ids === undefined ? all("task") : list_ids.flatMap((id) => all("task", id))
  const text = folded(q)
  const inside = text === "" ? undefined : tasksWith(text, all)
  const matches = (among as readonly unknown[] as Task[]).filter(
    (task) =>
      fits(task, filter, viewerId) &&
      (inside === undefined || inside.has(task.id) || folded(task.title).includes(text)),
  )
  const [member, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1]
  return matches
    .map((task) => [member === "title" ? folded(task.title) : task[member as "due_date"], task] as const)
    .sort(([key, one], [other, two]) => sign * compare(key, other, sign) || sign * (one.id - two.id))
    .map(([, task]) => task)
}

const TEXTS = { note: "content", subtask: "title", task_comment: "text", file: "file_name" } as const

/** The ids of the tasks in which something has a text. */
function tasksWith(text: string, all: All): ReadonlySet<unknown> {
  const tasks = new Set<unknown>()
  for (const [kind, member] of Object.entries(TEXTS))
    for (const object of all(kind as Kind))
      if (folded(object[member] as string).includes(text)) tasks.add(object.task_id)
  return tasks
}

function fits(task: Task, filter: Filter, viewerId: number | undefined): boolean {
  const { completed, starred, assignee_id, due, due_from, due_to, completed_from, completed_to } = filter
  const { due_date, completed_at } = task
  const assignee = assignee_id === "me" ? viewerId : assignee_id
  const asked = [completed ?? task.completed, starred ?? task.starred, assignee ?? task.assignee_id]
  if (asked.join() !== [task.completed, task.starred, task.assignee_id].join()) return false
  if (due !== undefined && (due_date === undefined) !== (due === "none")) return false
  return isWithin(due_date, due_from, due_to) && isWithin(completed_at, completed_from, completed_to)
}

/** Both ends belong to it; what is unset is within nothing that has an end. */
function isWithin(value: string | undefined, from: string | undefined, to: string | undefined): boolean {
  const at = Date.parse(value ?? "")
  return (from === undefined || at >= Date.parse(from)) && (to === undefined || at <= Date.parse(to))
}

/** What is unset comes last, whatever the direction. */
function compare(one: string | undefined, other: string | undefined, sign: number): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? sign : -sign
  return one < other ? -1 : 1
}

/** As the service folds: what is the same for people is equal. */
const folded = (text: string): string =>
  text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ")

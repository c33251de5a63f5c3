import type { AnyObject, Kind, Objects } from "./kinds.js"

type Task = Objects["task"]

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

/** The filters of the usual smart lists. @param today the user's day, as only the client knows it */
export function smartLists(
  today: string,
): Readonly<Record<"today" | "week" | "starred" | "assigned" | "completed", Filter>> {
  const inSixDays = new Date(Date.parse(today) + 6 * 86_400_000).toISOString().slice(0, 10)
  return {
    today: { completed: false, due_to: today },
    week: { completed: false, due_to: inSixDays },
    starred: { completed: false, starred: true },
    assigned: { completed: false, assignee_id: "me" },
    completed: { completed: true, sort: "-completed_at" },
  }
}

/** Where tasks are found. */
type Where = {
  /** Of one list, or all. */
  tasks(list?: number): readonly Task[]
  every(kind: Kind): readonly AnyObject[]
  readonly viewerId: number | undefined
}

/** Finds tasks in what a view holds. */
export function found(filter: Filter, { tasks, every, viewerId }: Where): readonly Task[] {
  const { list_ids, sort = "due_date", q = "" } = filter
  const among = list_ids === undefined ? tasks() : list_ids.flatMap((id) => tasks(id))
  const text = folded(q)
  const inside = text === "" ? undefined : tasksWith(text, every)
  const matches = among.filter(
    (task) =>
      fits(task, filter, viewerId) &&
      (inside === undefined || inside.has(task.id) || folded(task.title).includes(text)),
  )
  const [member, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1]
  const sortedBy = (task: Task) => task[member as "due_date"]
  return matches.sort(
    (one, other) => sign * compare(sortedBy(one), sortedBy(other), sign) || sign * (one.id - other.id),
  )
}

const TEXTS: readonly (readonly [Kind, string])[] = [
  ["note", "content"],
  ["subtask", "title"],
  ["task_comment", "text"],
  ["file", "file_name"],
]

/** The ids of the tasks in which something has a text. */
const tasksWith = (text: string, every: Where["every"]): ReadonlySet<unknown> =>
  new Set(
    TEXTS.flatMap(([kind, member]) =>
      every(kind)
        .filter((object) => folded(object[member] as string).includes(text))
        .map(({ task_id }) => task_id),
    ),
  )

function fits(task: Task, filter: Filter, viewerId: number | undefined): boolean {
  const { completed, starred, assignee_id, due, due_from, due_to, completed_from, completed_to } = filter
  const { due_date, completed_at } = task
  if (completed !== undefined && task.completed !== completed) return false
  if (starred !== undefined && task.starred !== starred) return false
  if (assignee_id !== undefined && task.assignee_id !== (assignee_id === "me" ? viewerId : assignee_id)) return false
  if (due !== undefined && (due_date === undefined) !== (due === "none")) return false
  return isWithin(due_date, due_from, due_to) && isWithin(completed_at, completed_from, completed_to)
}

/** Both ends belong to it. */
const isWithin = (value: string | undefined, from: string | undefined, to: string | undefined): boolean =>
  (from === undefined && to === undefined) ||
  (value !== undefined && (from === undefined || value >= from) && (to === undefined || value <= to))

/** What is unset comes last, whatever the direction. */
function compare(one: string | undefined, other: string | undefined, sign: number): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? sign : -sign
  return one < other ? -1 : 1
}

const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

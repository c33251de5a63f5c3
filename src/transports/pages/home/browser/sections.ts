import { smartLists, type Task, type View } from "../../../../client/client.js"
import { dayAsHeading, plusDays } from "./format.js"
import type { Place } from "./place.js"
import { inboxOf } from "./session.js"
import { t } from "./texts.js"

/** Tasks that are shown together, under a heading where there are several such groups. */
export type Section = {
  readonly id: string
  readonly title?: string
  readonly tasks: readonly Task[]
  /** The list in whose order they are. */
  readonly orderOf?: number
}

const WEEK_DAYS = 7

/** What a place shows, without what is completed in a list. */
export function sectionsOf(view: View, { view: name, list, q = "" }: Place, today: string): Section[] {
  const one = (tasks: readonly Task[]): Section[] => [{ id: "open-tasks", tasks }]
  const smart = smartLists(today)
  if (name === "list") {
    const id = list ?? inboxOf(view) ?? 0
    return [{ id: "open-tasks", tasks: view.tasks(id), orderOf: view.get("list", id)?.id }]
  }
  if (name === "search") return one(q.trim() === "" ? [] : view.find({ q: q.trim() }))
  if (name === "starred" || name === "assigned") return one(view.find(smart[name]))
  if (name === "completed") return one(view.find({ completed: true, sort: "-completed_at" }))
  const late = { id: "overdue-tasks", title: t.overdue, tasks: view.find(smart.overdue) }
  if (name === "today")
    return [
      late,
      { id: "open-tasks", title: late.tasks.length > 0 ? t.today : undefined, tasks: view.find(smart.today) },
    ]
  const due = view.find(smart.week)
  const days = [...Array(WEEK_DAYS).keys()].map((days) => plusDays(today, days))
  return [
    late,
    ...days.map((day) => ({
      id: `tasks-${day}`,
      title: dayAsHeading(day, today),
      tasks: due.filter(({ due_date }) => due_date === day),
    })),
  ].filter(({ tasks }) => tasks.length > 0)
}

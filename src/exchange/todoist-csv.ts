import { parse } from "csv-parse/sync"
import { collectRemarks, type ListPlan, type Plan, type Reading, type TaskPlan, UnreadableFile } from "./plan.js"
import { dateOf, instantOf, ordinals, shortTitleOf, storable, titleOf } from "./plan-values.js"
import { readWordedDate } from "./todoist-date.js"
import { instantInZone, isTimeZone } from "./zoned-time.js"

// A project as Todoist exports it: a line for each task, section and comment. It says nowhere what the project is called.

type Line = { readonly record: Readonly<Record<string, string>>; readonly line: number }
type Draft = { -readonly [Member in keyof TaskPlan]: TaskPlan[Member] } & {
  subtasks: TaskPlan["subtasks"][number][]
  comments: TaskPlan["comments"][number][]
}
type OpenList = Omit<ListPlan, "tasks"> & { readonly tasks: Draft[] }

const NEEDED = ["TYPE", "CONTENT"]

function readLines(csv: string): Line[] {
  let found: { record: Record<string, string>; info: { lines: number } }[]
  try {
    found = parse(csv, {
      bom: true,
      columns: (names: string[]) => names.map((name) => name.trim().toUpperCase()),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as typeof found
  } catch (error) {
    throw new UnreadableFile(`the file is no CSV: ${(error as Error).message}`)
  }
  const [first] = found
  const missing = NEEDED.filter((name) => first !== undefined && !(name in first.record))
  if (missing.length > 0)
    throw new UnreadableFile(`line 1: has no column ${missing.join(", ")}; Todoist's files begin with TYPE,CONTENT,…`)
  return found.map(({ record, info }) => ({ record, line: info.lines }))
}

/** The project's name, of which the file's name is made: `Work [2203306141].csv`. */
const projectOf = (title: string): string => title.replace(/\s*\[\d+\]$/, "").trim() || "Todoist"

/** Plans a project: its sections become lists of their own, in a folder of its name. @throws UnreadableFile */
export function planTodoist(csv: string, { title: fileTitle, importer, now }: Reading): Plan {
  const remarks = collectRemarks()
  const today = now.toISOString().slice(0, 10)
  const project = shortTitleOf(remarks, "the file's name", projectOf(fileTitle))
  const nameOf = ordinals()
  const lines = readLines(csv)
  const hasSections = lines.some(({ record }) => record.TYPE?.toLowerCase() === "section")
  const folder = hasSections ? project : undefined
  const key = (name: string) => nameOf(`todoist ${project} ${name}`)
  let list: OpenList = {
    key: key("list"),
    title: project,
    isInbox: project.toLowerCase() === "inbox",
    folder,
    tasks: [],
  }
  const lists = [list]
  let task: Draft | undefined
  let isInSubtask = false

  /** Adds the date of a line to its task, or says why not. */
  function readDate(place: string, record: Line["record"], key: string): Partial<Draft> {
    const words = record.DATE?.trim() ?? ""
    if (words === "") return {}
    const isEnglish = /^(en)?$/i.test(record.DATE_LANG?.trim() ?? "")
    const read = isEnglish || /^\d{4}-/.test(words) ? readWordedDate(words, today) : undefined
    if (read === undefined) {
      remarks.skip(`${place}, DATE`, `${JSON.stringify(words)} has no counterpart here; set a due date yourself`)
      return {}
    }
    const { time, lost, recurrenceType, recurrenceCount } = read
    const dueDate = dateOf(remarks, `${place}, DATE`, read.dueDate)
    if (dueDate === undefined) return {}
    if (lost !== undefined) remarks.change(`${place}, DATE`, lost)
    const zone = record.TIMEZONE?.trim() ?? ""
    const date =
      time === undefined
        ? undefined
        : instantOf(remarks, `${place}, DATE`, instantInZone(dueDate, time, isTimeZone(zone) ? zone : "UTC"))
    const reminders = date === undefined ? [] : [{ key: `${key} reminder`, date }]
    if (date !== undefined) remarks.change(`${place}, DATE`, "a due date has no time here; a reminder holds it")
    return { dueDate, recurrenceType, recurrenceCount, reminders }
  }

  function takeTask(place: string, record: Line["record"]): void {
    const depth = Number(record.INDENT || 1)
    const description = record.DESCRIPTION?.trim() ? storable(remarks, `${place}, DESCRIPTION`, record.DESCRIPTION) : ""
    if (depth > 1 && task !== undefined) {
      if (depth > 2) remarks.change(`${place}, INDENT`, "subtasks have no subtasks here; it is one of the task")
      for (const name of ["DATE", "DESCRIPTION"])
        if (record[name]?.trim()) remarks.skip(`${place}, ${name}`, "subtasks have none here")
      const title = shortTitleOf(remarks, `${place}, CONTENT`, record.CONTENT)
      task.subtasks.push({ key: nameOf(`${task.key} subtask ${title}`), title, completed: false })
      isInSubtask = true
      return
    }
    isInSubtask = false
    const { title, whole } = titleOf(remarks, `${place}, CONTENT`, record.CONTENT)
    if (whole !== undefined)
      remarks.change(`${place}, CONTENT`, "has more than 255 characters; a note holds the whole of it")
    if (record.RESPONSIBLE?.trim())
      remarks.skip(`${place}, RESPONSIBLE`, "nobody can be assigned by an import of this format")
    const taskKey = key(`task ${list.key} ${title}`)
    const contents = [whole, description].filter((content) => content)
    task = {
      key: taskKey,
      title,
      starred: record.PRIORITY?.trim() === "1",
      completed: false,
      isMine: false,
      notes: contents.map((content, index) => ({ key: `${taskKey} note ${index}`, content: content as string })),
      subtasks: [],
      reminders: [],
      comments: [],
      ...readDate(place, record, taskKey),
    }
    list.tasks.push(task)
  }

  function takeComment(place: string, record: Line["record"]): void {
    if (task === undefined) {
      remarks.skip(place, "a comment on a project or section has no counterpart here")
      return
    }
    if (/\[\[file /.test(record.CONTENT ?? ""))
      remarks.skip(place, "the bytes of the comment's file are not in this file; attach it again")
    const author = record.AUTHOR?.replace(/\s*\(\d+\)$/, "").trim() ?? ""
    const isOther = author !== "" && author !== importer.name
    if (isOther) remarks.change(place, "was written by somebody else; his name stands before it")
    if (isInSubtask) remarks.change(place, "subtasks have no comments here; it is one on the task")
    const text = storable(remarks, `${place}, CONTENT`, `${isOther ? `${author}: ` : ""}${record.CONTENT ?? ""}`)
    task.comments.push({ key: nameOf(`${task.key} comment ${text}`), text })
  }

  for (const { record, line } of lines) {
    const place = `line ${line}`
    const type = record.TYPE?.trim().toLowerCase()
    if (type === "task") takeTask(place, record)
    else if (type === "note") takeComment(place, record)
    else if (type === "section") {
      const section = storable(remarks, `${place}, CONTENT`, record.CONTENT ?? "")
      list = {
        key: key(`section ${section}`),
        title: shortTitleOf(remarks, `${place}, CONTENT`, section),
        isInbox: false,
        folder,
        tasks: [],
      }
      lists.push(list)
      task = undefined
    } else if (type !== "" && type !== "meta" && !/=/.test(record.TYPE ?? ""))
      remarks.skip(`${place}, TYPE`, `${JSON.stringify(record.TYPE)} is none of task, section, note`)
  }
  const wanted = lists.filter((one, index) => index > 0 || one.tasks.length > 0 || lists.length === 1)
  return { lists: wanted, remarks: remarks.all }
}

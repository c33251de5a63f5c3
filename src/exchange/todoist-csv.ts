import { collectRemarks, type ParsedImport, type ParsedList, type ParsedTask, type Reading } from "./parsed-import.js"
import { dateOf, instantOf, ordinals, quoted, shortTitleOf, storable, titleOf } from "./parsed-values.js"
import { readWordedDate } from "./todoist-date.js"
import { type Cells, readLines } from "./todoist-lines.js"
import { instantInZone, isTimeZone } from "./zoned-time.js"

// A project as Todoist exports it: a line for each task, section and comment. It says nowhere what the project is called.

type Draft = { -readonly [Member in keyof ParsedTask]: ParsedTask[Member] } & {
  subtasks: ParsedTask["subtasks"][number][]
  comments: ParsedTask["comments"][number][]
}
type OpenList = Omit<ParsedList, "tasks"> & { readonly tasks: Draft[] }

/** The project's name, of which the file's name is made, and its number there: `Work [2203306141].csv`. */
function projectOf(title: string): { name: string; number: string | undefined } {
  const number = /\[(\d+)\]$/.exec(title)?.[1]
  const name = (number === undefined ? title : title.slice(0, title.lastIndexOf("["))).trim()
  return { name: name || "Todoist", number }
}

/** Parses a project: its sections become lists of their own, in a folder of its name. @throws UnreadableFile */
export function parseTodoist(csv: string, { title: fileTitle, importer, now }: Reading): ParsedImport {
  const remarks = collectRemarks()
  const today = now.toISOString().slice(0, 10)
  const { name, number } = projectOf(fileTitle)
  const project = shortTitleOf(remarks, "the file's name", name)
  const nameOf = ordinals()
  const lines = [...readLines(csv, remarks)]
  const hasSections = lines.some(({ record }) => record.TYPE.toLowerCase() === "section")
  const folder = hasSections ? project : undefined
  const within = `todoist ${number ?? JSON.stringify(project)}`
  let list: OpenList = {
    key: `${within} list`,
    title: project,
    isInbox: project.toLowerCase() === "inbox",
    folder,
    tasks: [],
  }
  const lists = [list]
  let task: Draft | undefined
  let isInSubtask = false

  function wordedDate(place: string, words: string, language: string) {
    if (words === "") return undefined
    const isEnglish = /^(en)?$/i.test(language)
    const read = isEnglish || /^\d{4}-/.test(words) ? readWordedDate(words, today) : undefined
    if (read === undefined) remarks.skip(place, `${quoted(words)} has no counterpart here; set a due date yourself`)
    return read
  }

  /** Adds the date of a line to its task, or its deadline where it has none; or says why not. */
  function readDate(place: string, record: Cells, key: string): Partial<Draft> {
    const read = wordedDate(`${place}, DATE`, record.DATE, record.DATE_LANG)
    const dueDate = dateOf(remarks, `${place}, DATE`, read?.dueDate)
    if (record.DURATION !== "" && !/^none$/i.test(record.DURATION))
      remarks.skip(
        `${place}, DURATION`,
        `a task has no duration here: ${quoted(record.DURATION)} ${record.DURATION_UNIT}`,
      )
    if (record.DEADLINE !== "" && dueDate !== undefined)
      remarks.skip(
        `${place}, DEADLINE`,
        `a task has one date here, and DATE is its due date: ${quoted(record.DEADLINE)}`,
      )
    else if (record.DEADLINE !== "") {
      const deadline = wordedDate(`${place}, DEADLINE`, record.DEADLINE, record.DEADLINE_LANG)
      const due = dateOf(remarks, `${place}, DEADLINE`, deadline?.dueDate)
      if (due !== undefined) remarks.change(`${place}, DEADLINE`, "a task has one date here; it is its due date")
      return { dueDate: due }
    }
    if (read === undefined || dueDate === undefined) return {}
    const { time, lost, recurrenceType, recurrenceCount } = read
    if (lost !== undefined) remarks.change(`${place}, DATE`, lost)
    const zone = isTimeZone(record.TIMEZONE) ? record.TIMEZONE : "UTC"
    const date =
      time === undefined ? undefined : instantOf(remarks, `${place}, DATE`, instantInZone(dueDate, time, zone))
    const reminders = date === undefined ? [] : [{ key: `${key} reminder ${date}`, date }]
    if (date !== undefined) remarks.change(`${place}, DATE`, "a due date has no time here; a reminder holds it")
    return { dueDate, recurrenceType, recurrenceCount, reminders }
  }

  function takeSubtask(place: string, record: Cells, task: Draft): void {
    if (Number(record.INDENT) > 2)
      remarks.change(`${place}, INDENT`, "subtasks have no subtasks here; it is one of the task")
    for (const name of ["DATE", "DEADLINE", "DURATION", "DESCRIPTION", "RESPONSIBLE"] as const)
      if (record[name] !== "" && !/^none$/i.test(record[name]))
        remarks.skip(`${place}, ${name}`, "subtasks have none here")
    const title = shortTitleOf(remarks, `${place}, CONTENT`, record.CONTENT)
    task.subtasks.push({ key: `${task.key} subtask ${nameOf(task.key, title)}`, title, completed: false })
  }

  function takeTask(place: string, record: Cells): void {
    isInSubtask = Number(record.INDENT || 1) > 1 && task !== undefined
    if (isInSubtask) {
      takeSubtask(place, record, task as Draft)
      return
    }
    const { title, whole } = titleOf(remarks, `${place}, CONTENT`, record.CONTENT)
    if (whole !== undefined)
      remarks.change(`${place}, CONTENT`, "has more than 255 characters; a note holds the whole of it")
    if (record.RESPONSIBLE !== "")
      remarks.skip(`${place}, RESPONSIBLE`, "nobody can be assigned by an import of this format")
    // As it is written: what "every day" means is another day tomorrow.
    const said = [record.CONTENT, record.DESCRIPTION, record.PRIORITY, record.DATE, record.DEADLINE]
    const key = `${list.key} task ${nameOf(list.key, ...said)}`
    const contents = [whole, record.DESCRIPTION && storable(remarks, `${place}, DESCRIPTION`, record.DESCRIPTION)]
    task = {
      key,
      title,
      starred: record.PRIORITY === "1",
      completed: false,
      isMine: false,
      notes: contents.flatMap((content, index) => (content ? [{ key: `${key} note ${index}`, content }] : [])),
      subtasks: [],
      reminders: [],
      comments: [],
      ...readDate(place, record, key),
    }
    list.tasks.push(task)
  }

  function takeComment(place: string, record: Cells): void {
    if (task === undefined) {
      remarks.skip(place, "a comment on a project or section has no counterpart here")
      return
    }
    if (/\[\[file /.test(record.CONTENT))
      remarks.skip(place, "the bytes of the comment's file are not in this file; attach it again")
    const author = record.AUTHOR.replace(/\(\d+\)$/, "").trim()
    const isOther = author !== "" && author !== importer.name
    if (isOther) remarks.change(place, "was written by another person, whose name is put before it")
    if (isInSubtask) remarks.change(place, "subtasks have no comments here; it is one on the task")
    const text = storable(remarks, `${place}, CONTENT`, `${isOther ? `${author}: ` : ""}${record.CONTENT}`)
    task.comments.push({ key: `${task.key} comment ${nameOf(task.key, "comment", text)}`, text })
  }

  for (const { record, line } of lines) {
    const place = `line ${line}`
    const type = record.TYPE.toLowerCase()
    if (type === "task") takeTask(place, record)
    else if (type === "note") takeComment(place, record)
    else if (type === "section") {
      list = {
        key: `${within} section ${nameOf("section", record.CONTENT)}`,
        title: shortTitleOf(remarks, `${place}, CONTENT`, record.CONTENT),
        isInbox: false,
        folder,
        tasks: [],
      }
      lists.push(list)
      task = undefined
    } else if (type !== "" && type !== "meta" && !record.TYPE.includes("="))
      remarks.skip(`${place}, TYPE`, `${quoted(record.TYPE)} is none of task, section, note`)
  }
  const wanted = lists.filter((one, index) => index > 0 || one.tasks.length > 0 || lists.length === 1)
  return { lists: wanted, remarks: remarks.all }
}

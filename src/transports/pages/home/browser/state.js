// What the page knows, and how events change it. Nothing here touches the document.

/**
 * @typedef {{ id: string, listId: string, title: string, completed: boolean, completedAt?: string | null, starred: boolean,
 *   dueDate?: string | null, createdById: string, createdByRequestId?: string | null, revision: number }} Task
 * @typedef {{ id: string, text: string, createdAt: string, createdById: string, author: { name?: string | null, avatar: string } }} Comment
 * @typedef {{ id: string, fileName: string, fileSize: number, contentType: string, url: string, previewUrl?: string | null,
 *   createdAt: string, userId: string, revision: number }} File
 * @typedef {Task & { createdBy?: { name: string } | null, comments: Comment[], files: File[] }} OpenTask
 * @typedef {{ id: string, userId: string, state: string, owner: boolean, revision: number,
 *   user?: { name: string, email: string, avatarUrl: string } | null }} Person
 * @typedef {{ id: string, taskPosition: { revision: number, values: string[] }, tasks: Task[], memberships: Person[] }} OpenList
 * @typedef {{ id: string, title: string, listType: string, ownerId: string, revision: number,
 *   tasksCount: { uncompletedCount: number, completedCount: number } }} ListRow
 * @typedef {{ id: string, listId: string, state: string, owner: boolean, revision: number }} Membership
 * @typedef {{ viewer: { id: string, name: string }, lists: ListRow[], memberships: Membership[], listPositions: { order: string[] }[] }} Home
 * @typedef {{ operation: "CREATE" | "UPDATE" | "DELETE", subjectType: string, subjectId: string, listId: string | null,
 *   revision: number, actorId: string | null, requestId: string | null, before: any, after: any, cursor: string }} LiveEvent
 */

/**
 * What is read at once: for the first look, and whenever events cannot tell what was missed.
 * @typedef {{ home: Home, list: OpenList | null, done: Task[] | null, task: OpenTask | null, cursor: string | null, token: string,
 *   today: string }} HomeData
 */

/**
 * @typedef {object} State
 * @property {Home} home
 * @property {OpenList | null} list the chosen list; its tasks are the open ones, in any order
 * @property {Task[] | null} done what is completed in it; null until somebody wants to see it
 * @property {OpenTask | null} task the task that is looked at
 * @property {string} today the date here, as YYYY-MM-DD
 * @property {boolean} isLive whether scripts run, so that things can be changed
 * @property {"live" | "connecting" | "offline"} connection
 * @property {Set<string>} news lists in which others have changed something since they were looked at
 * @property {Map<string, Partial<Task>>} wanted changes of tasks that are on their way
 * @property {string[] | null} wantedOrder an order that is on its way
 * @property {{ requestId: string, title: string }[]} adding tasks that are on their way
 * @property {{ key: string, name: string, share: number }[]} uploads files that are on their way, and how much of each
 * @property {"rename" | "share" | "delete-list" | "delete-task" | null} asking what the page asks at the moment
 */

/** @type {(data: HomeData) => State} */
export const stateOf = (data) => ({
  home: data.home,
  list: data.list,
  done: data.done,
  task: data.task,
  today: data.today,
  isLive: false,
  connection: "connecting",
  news: new Set(),
  wanted: new Map(),
  wantedOrder: null,
  adding: [],
  uploads: [],
  asking: null,
})

/** The viewer's lists in their order, without those that the viewer is only invited to. @type {(home: Home) => ListRow[]} */
export function listsOf({ lists, memberships, listPositions }) {
  const accepted = new Set(memberships.filter(({ state }) => state === "accepted").map(({ listId }) => listId))
  const inbox = lists.filter(({ listType }) => listType === "inbox")
  const others = lists.filter(({ listType }) => listType !== "inbox")
  return [...inbox, ...inOrder(others, listPositions[0]?.order ?? [])].filter(({ id }) => accepted.has(id))
}

/** @type {(home: Home) => { list: ListRow, membership: Membership }[]} */
export function invitationsOf({ lists, memberships }) {
  return memberships.flatMap((membership) => {
    const list = membership.state === "pending" && lists.find(({ id }) => id === membership.listId)
    return list ? [{ list, membership }] : []
  })
}

/**
 * Rows as an order names them, then those that it does not name, by id. (The service's own rule)
 * @template {{ id: string }} Row
 * @param {readonly Row[]} rows
 * @param {readonly string[]} values
 */
export function inOrder(rows, values) {
  const places = new Map(values.map((id, place) => [id, place]))
  const placeOf = (/** @type {Row} */ { id }) => places.get(id) ?? values.length
  return [...rows].sort((one, other) => placeOf(one) - placeOf(other) || Number(one.id) - Number(other.id))
}

/** A task as it is to be once what is on its way has arrived. @type {<T extends Task>(state: State, task: T) => T} */
export const asWanted = ({ wanted }, task) => ({ ...task, ...wanted.get(task.id) })

/** The open tasks of the chosen list in their order. @type {(state: State) => Task[]} */
export function openTasks(state) {
  const { list, wantedOrder } = state
  if (list === null) return []
  return inOrder(list.tasks, wantedOrder ?? list.taskPosition.values).map((task) => asWanted(state, task))
}

/** What is done, the latest first. @type {(state: State) => Task[]} */
export const doneTasks = (state) =>
  (state.done ?? [])
    .map((task) => asWanted(state, task))
    .sort(
      (one, other) =>
        (other.completedAt ?? "").localeCompare(one.completedAt ?? "") || Number(other.id) - Number(one.id),
    )

/** @type {(after: any) => Task} */
const taskFrom = (after) => ({
  id: String(after.id),
  listId: String(after.list_id),
  title: after.title,
  completed: after.completed,
  completedAt: after.completed_at,
  starred: after.starred,
  dueDate: after.due_date,
  createdById: String(after.created_by_id),
  createdByRequestId: after.created_by_request_id,
  revision: after.revision,
})

/** Takes a task as it is now, unless something later is known of it. @type {(state: State, task: Task) => void} */
export function takeTask(state, task) {
  if (state.task?.id === task.id && task.revision >= state.task.revision) state.task = { ...state.task, ...task }
  const { list, done } = state
  if (list === null || list.id !== task.listId) return
  const known = [...list.tasks, ...(done ?? [])].find(({ id }) => id === task.id)
  if (known !== undefined && known.revision > task.revision) return
  dropTask(state, task.id)
  if (!task.completed) list.tasks.push(task)
  else done?.push(task)
}

/** @type {(state: State, id: string) => void} */
function dropTask({ list, done }, id) {
  for (const rows of [list?.tasks, done]) {
    const place = rows?.findIndex((task) => task.id === id) ?? -1
    if (place >= 0) rows?.splice(place, 1)
  }
}

/** @type {(state: State, comment: Comment) => void} */
export function takeComment({ task }, comment) {
  if (task === null) return
  const others = task.comments.filter(({ id }) => id !== comment.id)
  task.comments = [...others, comment].sort((one, other) => Number(one.id) - Number(other.id))
}

/**
 * Changes the state by an event; any number of times, and after what it tells is known already. Gives what has to be read
 * again because the event does not say enough.
 * @type {(state: State, event: LiveEvent) => Set<"home" | "list" | "task">}
 */
export function takeEvent(state, event) {
  const { operation, subjectType, subjectId, listId, after, before } = event
  /** @type {Set<"home" | "list" | "task">} */
  const unknown = new Set()
  const isHere = state.list !== null && state.list.id === listId
  const isOurs = event.actorId === state.home.viewer.id
  const isNews = subjectType === "task" ? operation !== "DELETE" : operation === "CREATE"
  if (listId !== null && !isHere && !isOurs && isNews) state.news.add(listId)

  if (subjectType === "task") {
    state.adding = state.adding.filter(({ requestId }) => requestId !== event.requestId)
    if (operation !== "DELETE") takeTask(state, taskFrom(after))
    else {
      if (isHere) dropTask(state, subjectId)
      if (state.task?.id === subjectId && state.task.listId === listId) state.task = null
    }
    unknown.add("home")
  } else if (subjectType === "task_position") {
    const position = isHere ? state.list?.taskPosition : undefined
    if (position && after && after.revision >= position.revision)
      Object.assign(position, { revision: after.revision, values: after.values.map(String) })
  } else if (subjectType === "task_comment" || subjectType === "file") {
    if (state.task === null || String((after ?? before)?.task_id) !== state.task.id) return unknown
    if (operation !== "DELETE" || subjectType === "file") unknown.add("task")
    else state.task.comments = state.task.comments.filter(({ id }) => id !== subjectId)
  } else if (["list", "membership", "list_position", "user"].includes(subjectType)) {
    unknown.add("home")
    if (isHere && subjectType !== "list") unknown.add("list")
  }
  return unknown
}

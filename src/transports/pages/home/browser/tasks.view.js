import { html } from "../../html.js"
import { CROSS, GRIP, PLUS, STAR, TICK } from "./icons.js"
import { doneTasks, openTasks } from "./state.js"
import { dayInWords, nameOf } from "./words.js"

/** @import { State, Task, Person, ListRow } from "./state.js" */
/** @import { Html } from "../../html.js" */

const MAX_FACES = 5

/** @type {(task: Task, today: string) => Html | false} */
const due = ({ dueDate, completed }, today) =>
  dueDate != null &&
  html`<time class="due${!completed && dueDate < today && " late"}${!completed && dueDate === today && " now"}" datetime="${dueDate}">${dayInWords(dueDate, today)}</time>`

/** @type {(state: State, task: Task, place: number, count: number) => Html} */
function row(state, task, place, count) {
  const { id, title, completed, starred, listId } = task
  const { isLive, wanted } = state
  const isOpened = state.task?.id === id
  const star = html`<span class="unseen">Star ${title}</span>${STAR}`
  return html`<li class="task${isOpened && " opened"}${wanted.has(id) && " waiting"}${completed && " completed"}" id="task-${id}" data-id="${id}">
${isLive && !completed && html`<button class="grip" id="grip-${id}" data-does="grip" aria-describedby="how-to-move">${GRIP}<span class="unseen">Move ${title}, ${place} of ${count}</span></button>`}
${
  isLive
    ? html`<input type="checkbox" id="done-${id}" data-does="complete" aria-label="${title} is done"${completed && html` checked`}>`
    : html`<span class="mark">${completed && TICK}</span>`
}
<a class="title" id="open-${id}" href="?list=${listId}&task=${id}" data-does="open-task"${isOpened && html` aria-current="true"`}><bdi>${title}</bdi></a>
${due(task, state.today)}
${isLive ? html`<button class="star" id="star-${id}" data-does="star" aria-pressed="${String(starred)}">${star}</button>` : starred && html`<span class="star on"><span class="unseen">Starred</span>${STAR}</span>`}
</li>`
}

/** @type {(people: readonly Person[]) => Html | false} */
function faces(people) {
  const known = people.flatMap(({ id, user }) => (user ? [{ id, user }] : []))
  if (known.length < 2) return false
  return html`<ul class="faces" aria-label="Members">${known
    .slice(0, MAX_FACES)
    .map(
      ({ id, user: { avatarUrl, name } }) =>
        html`<li id="face-${id}"><img src="${avatarUrl}" alt="${name}" title="${name}" width="30" height="30"></li>`,
    )}</ul>`
}

/** @type {(state: State, row: ListRow, people: readonly Person[]) => Html} */
const sharing = (state, { ownerId }, people) =>
  html`<section class="asking" id="sharing" aria-labelledby="sharing-title"><h2 id="sharing-title">Members</h2>
<ul class="people">${people.map(
    ({ id, user, state: is, owner, userId }) =>
      html`<li id="person-${id}">${user && html`<img src="${user.avatarUrl}" alt="" width="30" height="30">`}<span class="name"><bdi>${user?.name ?? "Invited person"}</bdi>
${owner ? html` <span class="tag">owner</span>` : is === "pending" && html` <span class="tag waiting">invited</span>`}</span>
${!owner && ownerId === state.home.viewer.id && userId !== ownerId && html`<button class="plain small" data-does="remove-person" data-id="${id}">Remove<span class="unseen"> ${user?.name}</span></button>`}</li>`,
  )}</ul>
<form class="line" id="invite" data-does="invite"><label class="unseen" for="invitee">Email address</label>
<input type="email" id="invitee" name="email" placeholder="Email address" autocomplete="off" required><button class="main">Invite</button></form></section>`

/** @type {(row: ListRow) => Html} */
const renaming = (list) =>
  html`<form class="line asking" id="rename" data-does="rename-list"><label class="unseen" for="list-name">New name</label>
<input id="list-name" name="title" value="${list.title}" maxlength="255" autocomplete="off" required>
<button class="main">Save</button><button type="button" class="plain" data-does="ask" data-what="rename">Cancel</button></form>`

/** @type {(state: State, list: ListRow) => Html} */
function deleting(state, list) {
  const isOwner = list.ownerId === state.home.viewer.id
  return html`<section class="asking" id="deleting" role="alertdialog" aria-labelledby="deleting-title"><p id="deleting-title">${
    isOwner
      ? html`Delete <strong><bdi>${list.title}</bdi></strong> and everything in it, for all members?`
      : html`Leave <strong><bdi>${list.title}</bdi></strong>? You will no longer see it.`
  }</p>
<div class="actions"><button class="danger" data-does="${isOwner ? "delete-list" : "leave-list"}">${isOwner ? "Delete list" : "Leave list"}</button>
<button class="plain" data-does="ask" data-what="delete-list">Cancel</button></div></section>`
}

/** @type {(state: State, list: ListRow, people: readonly Person[]) => Html | false} */
function tools(state, list, people) {
  if (!state.isLive) return faces(people)
  const isOpen = (/** @type {string} */ what) => String(state.asking === what)
  const isOwner = list.ownerId === state.home.viewer.id
  return html`${faces(people)}${
    list.listType !== "inbox" &&
    html`<button class="quiet-button" id="ask-share" data-does="ask" data-what="share" aria-expanded="${isOpen("share")}">Share</button>
<button class="quiet-button" id="ask-rename" data-does="ask" data-what="rename" aria-expanded="${isOpen("rename")}">Rename</button>
<button class="quiet-button" id="ask-delete" data-does="ask" data-what="delete-list" aria-expanded="${isOpen("delete-list")}">${isOwner ? "Delete" : "Leave"}</button>`
  }`
}

/** The chosen list. @type {(state: State) => Html} */
export function tasksView(state) {
  const list = state.home.lists.find(({ id }) => id === state.list?.id)
  if (list === undefined || state.list === null)
    return html`<section class="tasks" id="tasks"><h1>Your lists</h1><p class="nothing">Choose a list.</p></section>`
  const people = state.list.memberships
  const open = openTasks(state)
  const done = doneTasks(state)
  const { asking, isLive, connection } = state
  const count = list.tasksCount.completedCount
  return html`<section class="tasks" id="tasks" aria-labelledby="list-title">
<div class="head"><h1 id="list-title" tabindex="-1"><bdi>${nameOf(list)}</bdi></h1>
${isLive && html`<span class="connection ${connection}" id="connection">${connection === "live" ? "Live" : connection === "offline" ? "Offline, reconnecting" : "Connecting"}</span>`}
<div class="tools">${tools(state, list, people)}</div></div>
${asking === "share" && sharing(state, list, people)}${asking === "rename" && renaming(list)}${asking === "delete-list" && deleting(state, list)}
${
  isLive &&
  html`<form class="add" id="add-task" data-does="add-task">${PLUS}<label class="unseen" for="new-task">Add a task</label>
<input id="new-task" name="title" maxlength="255" autocomplete="off" placeholder="Add a task" required><button class="unseen">Add</button></form>`
}
${open.length + state.adding.length === 0 && html`<p class="nothing" id="nothing">${count > 0 ? "All tasks are completed." : isLive ? "No tasks yet. Add one above." : "No tasks yet."}</p>`}
<ul class="rows-of-tasks" id="open-tasks" aria-label="Open tasks">${open.map((task, index) => row(state, task, index + 1, open.length))}${state.adding.map(
    ({ requestId, title }) =>
      html`<li class="task waiting" id="new-${requestId}"><span class="mark"></span><span class="title"><bdi>${title}</bdi></span></li>`,
  )}</ul>
${
  count > 0 &&
  (isLive || state.done === null
    ? html`<p class="show-done"><a id="show-done" class="quiet-button" href="?list=${list.id}${state.done === null && "&completed=1"}" data-does="show-done"${isLive && html` role="button" aria-expanded="${String(state.done !== null)}"`}>${state.done === null ? "Show" : "Hide"} ${count} completed</a></p>`
    : html`<h2 class="quiet">Completed</h2>`)
}
${state.done !== null && html`<ul class="rows-of-tasks" id="done-tasks" aria-label="Completed tasks">${done.map((task) => row(state, task, 0, 0))}</ul>`}
</section>`
}

/** For a panel's corner. @type {(href: string) => Html} */
export const closeLink = (href) =>
  html`<a class="close" id="close-task" href="${href}" data-does="close-task">${CROSS}<span class="unseen">Close</span></a>`

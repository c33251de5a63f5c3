import { type Html, html, type Part } from "../html.js"
import { day } from "../when.js"
import type { FirstLook, SeenList, SeenTask, WholeTask } from "./first-look.js"

const nameOf = ({ title, listType }: SeenList): string => (listType === "inbox" ? "Inbox" : title)

const listRow = (list: SeenList, isHere: boolean): Html =>
  html`<li><a href="?list=${list.id}"${isHere && html` aria-current="page"`}><span class="name"><bdi>${nameOf(list)}</bdi></span>${list.tasksCount.uncompletedCount > 0 && html`<span class="count">${list.tasksCount.uncompletedCount}<span class="unseen"> open</span></span>`}</a></li>`

const taskRow = ({ id, listId, title, completed, starred, dueDate }: SeenTask): Html =>
  html`<li class="task${completed && " completed"}"><span class="mark">${completed && "✓"}</span><a class="title" href="?list=${listId}&amp;task=${id}"><span class="name"><bdi>${title}</bdi></span></a>${dueDate !== null && html`<span class="due">${day(dueDate)}</span>`}${starred && html`<span class="star on"><span aria-hidden="true">★</span><span class="unseen">Starred</span></span>`}</li>`

/** So much of a text, and so many things of a kind, are shown of a task. */
const MAX_TEXT = 20_000
const MAX_THINGS = 100
const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text)

const section = (title: string, parts: readonly Part[]): Html | false =>
  parts.length > 0 && html`<section><h3>${title}</h3>${parts}</section>`

function wholeTask(task: WholeTask): Html {
  const said = task.commentConnection.nodes
  return html`<aside class="detail" aria-labelledby="detail-title"><div class="detail-head"><h2 id="detail-title">${task.title}</h2><a class="quiet-button" href="?list=${task.listId}">Close</a></div>
<dl class="facts">${task.dueDate !== null && html`<dt>Due</dt><dd>${day(task.dueDate)}</dd>`}${task.assignee && html`<dt>Assigned to</dt><dd><bdi>${task.assignee.name}</bdi></dd>`}${task.createdBy && html`<dt>Created by</dt><dd><bdi>${task.createdBy.name}</bdi></dd>`}</dl>
${section(
  "Steps",
  task.subtaskConnection.nodes.map(
    ({ title, completed }) => html`<p>${completed ? "✓ " : "○ "}<bdi>${title}</bdi></p>`,
  ),
)}
${section(
  "Notes",
  task.notes.slice(0, MAX_THINGS).map(({ content }) => html`<p class="text">${cut(content)}</p>`),
)}
${section(
  "Files",
  task.files
    .slice(0, MAX_THINGS)
    .map(({ fileName, url }) => html`<p><a href="${url}" download><bdi>${fileName}</bdi></a></p>`),
)}
<section class="said"><h3>Comments</h3>${said.length === 0 && html`<p class="quiet">None.</p>`}${said.map(({ author, text, createdAt }) => html`<p class="quiet small"><strong><bdi>${author.name ?? "Deleted user"}</bdi></strong>, ${day(createdAt)}</p><p class="text">${cut(text)}</p>`)}</section></aside>`
}

function tasks({ list, tasks, next, completed, nextCompleted }: FirstLook): Html {
  if (list === undefined) return html`<section class="main"><h1 id="list-title">Your lists</h1></section>`
  const count = list.tasksCount.completedCount
  return html`<section class="main" aria-labelledby="list-title"><div class="head"><h1 id="list-title"><bdi>${nameOf(list)}</bdi></h1></div>
<div class="scroller">${tasks.length === 0 && html`<p class="nothing">${count > 0 ? "All tasks are completed." : "No tasks yet."}</p>`}
<ul class="still" id="open-tasks" aria-label="Open tasks">${tasks.map(taskRow)}</ul>
${next !== undefined && html`<p><a class="quiet-button" href="?list=${list.id}&amp;after=${encodeURIComponent(next)}">Next page</a></p>`}
${
  completed === undefined
    ? count > 0 &&
      html`<p><a class="quiet-button" href="?list=${list.id}&amp;completed=1">Show ${count} completed</a></p>`
    : html`<h2 class="group">Completed</h2><ul class="still" aria-label="Completed tasks">${completed.map(taskRow)}</ul>${nextCompleted !== undefined && html`<p><a class="quiet-button" href="?list=${list.id}&amp;completed=${encodeURIComponent(nextCompleted)}">Next page</a></p>`}`
}</div></section>`
}

/** The page as it can be read without scripts. */
export const firstLookView = (look: FirstLook): Html =>
  html`<nav class="sidebar" aria-label="Lists">${
    look.invitations.length > 0 &&
    html`<section class="invitations"><h2>Invitations</h2><ul>${look.invitations.map((list) => html`<li><bdi>${list.title}</bdi></li>`)}</ul></section>`
  }<ul class="places">${look.lists.map((list) => listRow(list, list.id === look.list?.id))}</ul></nav>
${tasks(look)}${look.task && wholeTask(look.task)}`

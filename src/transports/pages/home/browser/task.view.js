import { html } from "../../html.js"
import { CLIP } from "./icons.js"
import { asWanted } from "./state.js"
import { closeLink } from "./tasks.view.js"
import { dayInWords, instantInWords, sizeInWords } from "./words.js"

/** @import { State, OpenTask, File, Comment } from "./state.js" */
/** @import { Html } from "../../html.js" */

/** @type {(file: File, isLive: boolean) => Html} */
const attached = ({ id, fileName, fileSize, url, previewUrl, createdAt }, isLive) =>
  html`<li id="file-${id}">${previewUrl != null && html`<img class="thumbnail" src="${previewUrl}" alt="" loading="lazy">`}
<div class="what"><a href="${url}" data-does="download" data-id="${id}" download><bdi>${fileName}</bdi></a>
<span class="quiet small">${sizeInWords(fileSize)}, <time datetime="${createdAt}">${instantInWords(createdAt)}</time></span></div>
${isLive && html`<button class="quiet-button" data-does="delete-file" data-id="${id}">Delete<span class="unseen"> ${fileName}</span></button>`}</li>`

/** @type {(comment: Comment) => Html} */
const said = ({ id, text, createdAt, author }) =>
  html`<li id="comment-${id}"><img src="${author.avatar}" alt="" width="30" height="30">
<div class="what"><span class="quiet small"><strong><bdi>${author.name ?? "Deleted user"}</bdi></strong>, <time datetime="${createdAt}">${instantInWords(createdAt)}</time></span>
<p class="text">${text}</p></div></li>`

/** @type {(state: State, task: OpenTask) => Html} */
const fields = ({ isLive, today }, { title, dueDate }) =>
  isLive
    ? html`<div class="field"><label for="task-title">Task</label><input id="task-title" data-does="rename-task" value="${title}" maxlength="255" autocomplete="off"></div>
<div class="field"><label for="task-due">Due</label><div class="line"><input type="date" id="task-due" data-does="due" value="${dueDate}" max="9999-12-31">
${dueDate != null && html`<button class="quiet-button" id="no-due" data-does="no-due">Remove<span class="unseen"> due date</span></button>`}</div></div>`
    : html`<p class="title"><strong><bdi>${title}</bdi></strong></p>${dueDate != null && html`<p>Due <time datetime="${dueDate}">${dayInWords(dueDate, today)}</time></p>`}`

/** The task that is looked at: nothing when there is none. @type {(state: State) => Html | undefined} */
export function taskView(state) {
  if (state.task === null) return undefined
  const task = asWanted(state, state.task)
  const { isLive, uploads, asking } = state
  return html`<aside class="opened-task" id="opened-task" aria-labelledby="opened-title">
<div class="head"><h2 id="opened-title" tabindex="-1"><span class="unseen">${task.title}: </span>Details</h2>${closeLink(`?list=${task.listId}`)}</div>
${fields(state, task)}
<section id="files" aria-labelledby="files-title"><h3 id="files-title">Files</h3>
<ul class="attached">${task.files.map((file) => attached(file, isLive))}${uploads.map(
    ({ key, name, share }) =>
      html`<li id="upload-${key}"><div class="what"><bdi>${name}</bdi><progress max="100" value="${Math.round(share * 100)}" aria-label="Uploading ${name}"></progress></div></li>`,
  )}</ul>
${isLive ? html`<div class="attach"><input type="file" class="unseen" id="attach" data-does="attach" multiple><label class="button plain small" for="attach">${CLIP}Attach a file</label></div>` : task.files.length === 0 && html`<p class="quiet">None.</p>`}</section>
<section id="comments" aria-labelledby="comments-title"><h3 id="comments-title">Comments</h3>
<ol class="said" aria-live="polite" aria-relevant="additions">${task.comments.map(said)}</ol>
${
  isLive
    ? html`<form id="add-comment" data-does="add-comment"><label class="unseen" for="new-comment">Comment</label>
<textarea id="new-comment" name="text" rows="2" placeholder="Write a comment" required></textarea><button class="main small">Comment</button></form>`
    : task.comments.length === 0 && html`<p class="quiet">None.</p>`
}</section>
<p class="quiet small foot">Created by <bdi>${task.createdBy?.name ?? "a former member"}</bdi></p>
${
  isLive &&
  (asking === "delete-task"
    ? html`<div class="asking actions" id="delete-asked"><span>Delete this task?</span><button class="danger small" data-does="delete-task">Delete</button><button class="plain small" data-does="ask" data-what="delete-task">Cancel</button></div>`
    : html`<button class="quiet-button bad" id="ask-delete-task" data-does="ask" data-what="delete-task">Delete task</button>`)
}
</aside>`
}

import { html } from "../../html.js"
import { INBOX, LIST, PLUS } from "./icons.js"
import { invitationsOf, listsOf, openTasks } from "./state.js"
import { nameOf } from "./words.js"

/** @import { State, ListRow, Membership } from "./state.js" */

/** @type {(state: State, list: ListRow) => import("../../html.js").Html} */
function row(state, list) {
  const { id, listType, tasksCount } = list
  const isHere = state.list?.id === id
  const count = isHere ? openTasks(state).filter(({ completed }) => !completed).length : tasksCount.uncompletedCount
  return html`<li id="list-${id}"><a href="?list=${id}" data-does="open-list"${isHere && html` aria-current="page"`}>
${listType === "inbox" ? INBOX : LIST}<span class="name"><bdi>${nameOf(list)}</bdi></span>
${state.news.has(id) && html`<span class="news"><span class="unseen">, changed</span></span>`}
${count > 0 && html`<span class="count">${count}<span class="unseen"> open</span></span>`}</a></li>`
}

/** @type {(of: { list: ListRow, membership: Membership }, isLive: boolean) => import("../../html.js").Html} */
const invitation = ({ list, membership }, isLive) =>
  html`<li id="invitation-${membership.id}"><p class="name"><bdi>${list.title}</bdi></p>
${
  isLive &&
  html`<div class="actions"><button class="main small" data-does="accept" data-id="${membership.id}">Accept<span class="unseen"> ${list.title}</span></button>
<button class="plain small" data-does="decline" data-id="${membership.id}">Decline<span class="unseen"> ${list.title}</span></button></div>`
}</li>`

/** The lists at the side. @type {(state: State) => import("../../html.js").Html} */
export function listsView(state) {
  const invitations = invitationsOf(state.home)
  return html`<nav class="lists" id="lists" aria-label="Lists">
${
  invitations.length > 0 &&
  html`<section id="invitations" aria-labelledby="invited"><h2 id="invited">Invitations</h2><ul>${invitations.map((one) => invitation(one, state.isLive))}</ul></section>`
}
<ul id="all-lists">${listsOf(state.home).map((list) => row(state, list))}</ul>
${
  state.isLive &&
  html`<form class="add" id="add-list" data-does="add-list">${PLUS}<label class="unseen" for="new-list">New list</label>
<input id="new-list" name="title" maxlength="255" autocomplete="off" placeholder="New list" required><button class="unseen">Create list</button></form>`
}
</nav>`
}

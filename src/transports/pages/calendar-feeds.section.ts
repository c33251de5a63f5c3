import { listOpenTo } from "../../access/access.js"
import { InvalidFields, NotFound } from "../../errors.js"
import {
  createCalendarFeed,
  feedsOf,
  revokeCalendarFeed,
} from "../../resources/calendar-feed/calendar-feed.commands.js"
import { idOf } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"
import { button, form } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import { day } from "./when.js"

/** What the page shows beside the feeds: the address of one that was just made, or why none was. */
export type FeedNews = { readonly url?: string; readonly fault?: string }

const news = ({ url, fault }: FeedNews): Html | false =>
  (url !== undefined &&
    html`<p class="notice good" role="status">Your new address. Copy it now: it is shown only once. Anyone who has it can see these tasks.</p>
<p><span class="secret" id="feed-url">${url}</span></p>
<p class="quiet small">Subscribe to it in your calendar. If your calendar does not show tasks, append <code>?show=events</code>.</p>`) ||
  (fault !== undefined && html`<p class="notice bad" role="alert">${fault}</p>`)

/** The inbox first, then by title. */
async function listsToShow({ prisma }: Pick<PageParts["database"], "prisma">, userId: Id) {
  const lists = await prisma.list.findMany({
    where: listOpenTo(userId),
    select: { id: true, title: true, listType: true },
  })
  return lists
    .map(({ id, ...list }) => ({ id: String(id), ...list }))
    .toSorted((a, b) => a.listType.localeCompare(b.listType) || a.title.localeCompare(b.title))
}

/** The part of the account page about feeds for calendars. */
export async function calendarFeedsSection(
  { database }: Pick<PageParts, "database">,
  visit: SignedIn,
  more: FeedNews,
): Promise<Html> {
  const userId = visit.session.user.id
  const [feeds, lists] = await Promise.all([feedsOf(database, userId), listsToShow(database, userId)])
  const titles = new Map(lists.map(({ id, title }) => [id, title]))
  const nameOf = (listId: Id | null) =>
    listId === null ? html`All lists` : html`<bdi>${titles.get(listId) ?? "A list that you no longer have"}</bdi>`
  const rows = feeds.map(
    ({ id, listId, createdAt }) => html`<li><div class="what"><p class="name">${nameOf(listId)}</p>
<p class="quiet small">Created ${day(createdAt)}</p></div>
${form(visit, `/account/calendar-feeds/${id}/revoke`, button(html`Revoke<span class="unseen"> the feed of ${nameOf(listId)}</span>`, "danger"), { isInline: true })}</li>`,
  )
  return html`<section class="card" aria-labelledby="calendar-feeds"><h2 id="calendar-feeds">Calendar feed</h2>
<p class="quiet">A secret address at which a calendar reads your open tasks.</p>
${news(more)}
${rows.length > 0 && html`<ul class="rows">${rows}</ul>`}
${form(
  visit,
  "/account/calendar-feeds",
  html`<div class="field"><label for="listId">Tasks of</label>
<select id="listId" name="listId"><option value="">all lists</option>${lists.map(({ id, title }) => html`<option value="${id}">${title}</option>`)}</select></div>
${button("Create address")}`,
)}</section>`
}

/** What the forms of that part do; `shown` is the account page with news. */
export function calendarFeedForms(
  { database, publicUrl }: PageParts,
  shown: (visit: SignedIn, more: FeedNews) => Promise<Reply>,
) {
  return [
    closedPage({
      path: "/account/calendar-feeds",
      async post(visit, sent) {
        const list = sent.get("listId") ?? ""
        try {
          const listId = list === "" ? null : idOf(list)
          const { url } = await createCalendarFeed(database, visit.session.user.id, listId, publicUrl())
          return await shown(visit, { url })
        } catch (error) {
          if (error instanceof NotFound)
            return shown(visit, { fault: "You no longer have that list. Choose another one." })
          if (error instanceof InvalidFields)
            return shown(visit, { fault: "You have the maximum number of addresses. Revoke one first." })
          throw error
        }
      },
    }),
    closedPage({
      path: "/account/calendar-feeds/:id/revoke",
      async post(visit) {
        await revokeCalendarFeed(database, visit.session.user.id, idOf(visit.request.params.id))
        return goTo(visit.at("/account?done=feed"))
      },
    }),
  ]
}

import {
  createInvitationLink,
  type Inviter,
  MAX_DAYS,
  MAX_USES,
  mayInvitePeople,
  revokeInvitationLink,
} from "../../accounts/invitation-link.commands.js"
import {
  type InvitationLink,
  listsToInviteTo,
  openLinksOf,
  openLinksOfOthers,
} from "../../accounts/invitation-link.rows.js"
import { InvalidFields, type Violations } from "../../errors.js"
import type { Form } from "../../scalars/form.js"
import { Email, idOf } from "../../scalars/scalars.js"
import { button, field, form, noticeOf, readFields, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import { day } from "./when.js"

const PATH = "/invitation-links"
const NOTICES = { revoked: "Invitation revoked. Its link leads nowhere any more." }
const OTHERS_SHOWN = 200

type News = { made?: string; typed?: Partial<Record<string, string>>; violations?: Violations }

const madeSection = (address: string): Html =>
  html`<section class="card" aria-labelledby="made"><h2 id="made">Your new link</h2>
<p>Copy it now: it is shown only once. Send it only to the people you invite: it asks nobody who they are.</p>
<p><span class="secret">${address}</span></p></section>`

function rowOf(visit: SignedIn, { id, maker, email, listId, listTitle, uses, used, expiresAt }: InvitationLink): Html {
  const isOwn = maker === visit.session.user.email
  const name = email ?? `${uses - used} of ${uses} uses left`
  const list = listTitle === undefined ? listId && html`, joins a list` : html`, joins <bdi>${listTitle}</bdi>`
  const by = isOwn ? "" : html`by <bdi>${maker ?? "an operator"}</bdi>, `
  const label = html`Revoke<span class="unseen"> the invitation for ${name}</span>`
  return html`<li><div class="what"><p class="name"><bdi>${name}</bdi></p>
<p class="quiet small">${by}until ${day(expiresAt)}${list}</p></div>
${form(visit, `${PATH}/${id}/revoke`, button(label, "danger"), { isInline: true })}</li>`
}

const rowsOf = (visit: SignedIn, links: readonly InvitationLink[]): Html =>
  links.length > 0 ? html`<ul class="rows">${links.map((link) => rowOf(visit, link))}</ul>` : html`<p>None.</p>`

function newForm(visit: SignedIn, lists: readonly { id: string; title: string }[], { typed = {}, violations }: News) {
  const chosen = typed.listId ?? ""
  const choices = lists.map(
    ({ id, title }) => html`<option value="${id}"${id === chosen && html` selected`}>${title}</option>`,
  )
  const list = html`<div class="field"><label for="listId">List <span class="quiet">(optional)</span></label>
<p class="hint" id="listId-hint">Who signs up with the link joins it.</p>
<select id="listId" name="listId" aria-describedby="listId-hint"><option value="">none</option>${choices}</select>
${violations?.listId && html`<p class="fault"><span aria-hidden="true">! </span>List ${violations.listId.join("; ")}.</p>`}</div>`
  return form(
    visit,
    PATH,
    html`${field({ name: "email", label: "Email address", type: "email", value: typed.email, isOptional: true, hint: "Only this address can then use the link, once.", violations: violations?.email })}
${lists.length > 0 && list}
${field({ name: "uses", label: "Uses", value: typed.uses ?? "1", hint: `How many people can sign up with it, at most ${MAX_USES}.`, violations: violations?.uses })}
${field({ name: "days", label: "Days", value: typed.days ?? "7", hint: `How long the link is valid, at most ${MAX_DAYS}.`, violations: violations?.days })}
${button("Create link")}`,
  )
}

/** What was typed, and as a link; an optional address that is none is refused. */
function readLink(sent: Form) {
  const typed = Object.fromEntries(
    ["email", "listId", "uses", "days"].map((name) => [name, (sent.get(name) ?? "").trim()]),
  )
  const { values, violations } =
    typed.email === "" ? { values: undefined, violations: undefined } : readFields(sent, { email: Email })
  const number = (text = "") => (/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN)
  const link = {
    email: values?.email,
    listId: typed.listId === "" ? undefined : idOf(typed.listId),
    uses: number(typed.uses),
    days: number(typed.days),
  }
  return { typed, link, violations }
}

/** Where users make links by which other people sign up, and end them; administrators see everybody's. */
export function invitationLinksPages(parts: PageParts) {
  const { database, signUp, now } = parts
  const inviterOf = ({ session }: SignedIn): Inviter => session.user

  async function page(visit: SignedIn, news: News = {}): Promise<Reply> {
    const { id, isAdministrator } = inviterOf(visit)
    const [own, others, lists] = await Promise.all([
      openLinksOf(database, id, now()),
      isAdministrator ? openLinksOfOthers(database, id, now(), OTHERS_SHOWN) : [],
      listsToInviteTo(database, id),
    ])
    const body = html`${news.violations ? violationsAbove(news.violations) : noticeOf(visit, NOTICES)}
${news.made && madeSection(news.made)}
<section class="card" aria-labelledby="open"><h2 id="open">Your open invitations</h2>
${rowsOf(visit, own)}</section>
${isAdministrator && html`<section class="card" aria-labelledby="others"><h2 id="others">Those of others</h2>${rowsOf(visit, others)}</section>`}
<section class="card" aria-labelledby="new"><h2 id="new">New link</h2>
${mayInvitePeople(signUp, inviterOf(visit)) ? newForm(visit, lists, news) : html`<p>Sign-up is closed: only administrators invite people.</p>`}</section>`
    return show({ title: "Invitation links", body, isWide: true }, news.violations ? 422 : 200)
  }

  return [
    closedPage({
      path: PATH,
      get: (visit) => page(visit),
      async post(visit, sent) {
        const { typed, link, violations } = readLink(sent)
        try {
          if (violations) throw new InvalidFields(violations)
          return await page(visit, { made: await createInvitationLink(parts, inviterOf(visit), link, now()) })
        } catch (error) {
          if (error instanceof InvalidFields) return page(visit, { typed, violations: error.violations })
          throw error
        }
      },
    }),
    closedPage({
      path: `${PATH}/:id/revoke`,
      async post(visit) {
        await revokeInvitationLink(database, inviterOf(visit), idOf(visit.request.params.id))
        return goTo(visit.at(`${PATH}?done=revoked`))
      },
    }),
  ]
}

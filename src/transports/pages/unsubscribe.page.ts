import { readUnsubscribeToken, unsubscribe } from "../../accounts/unsubscribe.js"
import { button, form } from "./form.js"
import { html } from "./html.js"
import { openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { Visit } from "./visit.js"

const notOurs = (): Reply =>
  show(
    {
      title: "This link is not complete",
      body: html`<div class="card"><p>Open the whole link, as it is in the mail.</p></div>`,
    },
    404,
  )

const tokenOf = ({ request }: Visit): string => String(request.params.token)

/**
 * The link in mails about a list. Opening it asks, for programs that check mails open links too; a program of mail posts to it at
 * once (RFC 8058). The answers are the same whether or not the address has an account, and the list is still there.
 */
export const unsubscribePages = ({ database }: PageParts) => [
  openPage({
    path: "/unsubscribe/:token",
    // The signed address is the proof, and a program of mail has no form of ours.
    provesItself: true,
    fileFormLimitBytes: 10_000,
    async get(visit) {
      const token = tokenOf(visit)
      const of = await readUnsubscribeToken(database, token)
      if (of === undefined) return notOurs()
      const body = html`<div class="card"><p>Stop mails to <strong><bdi>${of.email}</bdi></strong> about this list? Other lists are not affected.</p>
${form(visit, `/unsubscribe/${token}`, button("Stop these mails"))}</div>`
      return show({ title: "Unsubscribe", body })
    },
    async post(visit) {
      const of = await readUnsubscribeToken(database, tokenOf(visit))
      if (of === undefined) return notOurs()
      await unsubscribe(database, of)
      const body = html`<div class="card"><p>No more mails about this list are sent to <strong><bdi>${of.email}</bdi></strong>.</p>
<p class="quiet">An invitation to it still waits in Tandem for the person who has this address.</p></div>`
      return show({ title: "You are unsubscribed", body })
    },
  }),
]

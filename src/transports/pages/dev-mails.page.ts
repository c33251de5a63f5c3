import { keptMails, keyOfKeptMails } from "../../accounts/kept-mails.js"
import { NotFound } from "../../errors.js"
import { hashOf, isSecretOf } from "../../signing/secret.js"
import { isFromHere } from "../http/from-here.js"
import { type Html, html } from "./html.js"
import { openPage, show } from "./page.js"
import type { PageParts } from "./router.js"
import { ago } from "./when.js"

/** A mail's text, its links to be followed. */
const linked = (text: string): readonly (string | Html)[] =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : piece))

/**
 * What would have been mailed: in development without SMTP_URL, to browsers on this machine alone, with the key that the node
 * prints when it starts. A proxy may be on this machine too, and say nothing of the browsers behind it.
 */
export const devMailsPages = ({ database, mailer, now }: PageParts) => [
  openPage({
    path: "/dev/mails",
    async get({ request }) {
      // The mails have links that open accounts.
      if (!mailer.keepsMails || !isFromHere(request)) throw new NotFound()
      if (!isSecretOf(String(request.query.key), hashOf(await keyOfKeptMails(database)))) throw new NotFound()
      const mails = await keptMails(database)
      const cards = mails.map(
        ({ recipient, subject, content, createdAt }) => html`<article class="card"><h2>${subject}</h2>
<p class="quiet small">To <bdi>${recipient}</bdi> · ${ago(createdAt.toISOString(), now())}</p>
<p class="letter">${linked(content.trimEnd())}</p></article>`,
      )
      const body = html`<p class="quiet">In development without <code>SMTP_URL</code> nothing is mailed. The newest 100 are here, for browsers on this machine.</p>
${cards.length === 0 ? html`<div class="card"><p>No mails yet.</p></div>` : cards}`
      return show({ title: "Mails", body, isWide: true })
    },
  }),
]

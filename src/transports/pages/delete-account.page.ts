import { belongings } from "../../accounts/account.rows.js"
import { asksForPassword, deleteAccount, isFresh } from "../../accounts/delete-account.js"
import { secondFactorOf } from "../../accounts/second-factor.rows.js"
import { InvalidFields, type Violations } from "../../errors.js"
import { newSecret } from "../../signing/secret.js"
import { button, field, form } from "./form.js"
import { html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import { proofIn, secondFactorField } from "./proof.js"
import type { PageParts } from "./router.js"
import { noteDeleted, type SignedIn, setCookie } from "./visit.js"

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

/** Says what goes with an account. Cancel comes first and has the focus, for the other button cannot be undone. */
async function question(parts: PageParts, visit: SignedIn, violations?: Violations): Promise<Reply> {
  const { user, id } = visit.session
  const { lists, shared, files } = await belongings(parts.database, user.id)
  const byPassword = asksForPassword(parts, user)
  const hasFactor = byPassword && (await secondFactorOf(parts.database, user.id)) !== undefined
  const without = user.hasPassword ? "Passwords are not taken here" : "You have no password"
  const mayDelete = byPassword || (await isFresh(parts.database, id, parts.now()))
  const cancel = html`<a class="button plain" href="${visit.at("/account/data")}"${violations === undefined && html` autofocus`}>Cancel</a>`
  const proof = byPassword
    ? html`<input type="hidden" name="username" autocomplete="username" value="${user.email}">
${field({ name: "password", label: "Current password", type: "password", autocomplete: "current-password", violations: violations?.password, isFirst: violations !== undefined })}
${hasFactor && secondFactorField("code", violations?.code)}`
    : html`<p>${without}, and you have signed in within the last ten minutes.</p>`
  const body = html`<div class="card" role="group" aria-label="What is deleted">
<p>The account of <strong><bdi>${user.email}</bdi></strong> is deleted at once, with:</p>
<ul class="may not">
<li>your inbox and ${counted(lists, "list", "lists")} with everything in them</li>
<li>${counted(shared, "list", "lists")} of these that you share: they are deleted for all members</li>
<li>${counted(files, "file", "files")}: those in your lists, and those that you attached anywhere</li>
<li>your tokens, devices, calendar feeds, webhooks and applications</li>
</ul>
<p>What you wrote in other people's lists stays there. Nothing can be restored: <a href="${visit.at("/account/data")}">export your data</a> first.</p>
${
  mayDelete
    ? form(
        visit,
        "/account/delete",
        html`${proof}<div class="actions">${cancel}${button("Delete my account", "danger")}</div>`,
      )
    : html`<p class="notice bad" role="alert">${without}, so sign in again to show that it is you: sign out, sign in, and come back within ten minutes.</p>
<div class="actions">${cancel}</div>`
}</div>`
  return show({ title: "Delete your account?", body }, violations ? 422 : 200)
}

/** Counts what goes with the account, and asks for the password; users without one must have signed in just now. */
export const deleteAccountPages = (parts: PageParts) => [
  closedPage({
    path: "/account/delete",
    get: (visit) => question(parts, visit),
    async post(visit, sent) {
      try {
        await deleteAccount(parts, visit.session, proofIn(sent, parts.now()))
      } catch (error) {
        if (error instanceof InvalidFields) return question(parts, visit, error.violations)
        throw error
      }
      setCookie(visit, newSecret(), false)
      noteDeleted(visit, visit.session.user.id)
      return goTo(visit.at("/sign-in?done=deleted"))
    },
  }),
]

import { findMailedLink } from "../../accounts/mailed-link.js"
import { askForReset, finishReset, refuseWithoutPasswords } from "../../accounts/password.commands.js"
import { InvalidFields, NotFound, type Violations } from "../../errors.js"
import { Email } from "../../scalars/scalars.js"
import { button, field, form, readFields, violationsAbove } from "./form.js"
import { html } from "./html.js"
import { goTo, openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import { linkIsOver, lookIntoMail, PASSWORD_HINT } from "./sign-up.page.js"
import type { Visit } from "./visit.js"

function askForm(visit: Visit, email = "", violations?: Violations): Reply {
  const body = html`${violationsAbove(violations)}
<div class="card">
${form(
  visit,
  "/reset-password",
  html`${field({ name: "email", label: "Email address", type: "email", value: email, autocomplete: "username", isFirst: true, hint: "We'll send you a link to choose a new password.", violations: violations?.email })}
${button("Send link")}`,
)}
</div>
<p><a href="${visit.at("/sign-in")}">Back to sign-in</a></p>`
  return show({ title: "Forgot your password?", body }, violations ? 422 : 200)
}

function chooseForm(visit: Visit, email: string, token: string, violations?: Violations): Reply {
  const body = html`${violationsAbove(violations)}
<div class="card">
<p>For the account of <strong><bdi>${email}</bdi></strong>. All signed-in browsers will be signed out.</p>
${form(
  visit,
  `/reset-password/finish?token=${encodeURIComponent(token)}`,
  html`<input type="hidden" name="username" autocomplete="username" value="${email}">
${field({ name: "password", label: "New password", type: "password", autocomplete: "new-password", isFirst: true, hint: PASSWORD_HINT, violations: violations?.password })}
${button("Change password")}`,
)}
</div>`
  return show({ title: "Choose a new password", body }, violations ? 422 : 200)
}

/** Resetting a forgotten password, by a mailed link. */
export const resetPasswordPages = (parts: PageParts) => [
  openPage({
    path: "/reset-password",
    get(visit) {
      refuseWithoutPasswords(parts)
      return askForm(visit)
    },
    async post(visit, sent) {
      refuseWithoutPasswords(parts)
      const { values, violations } = readFields(sent, { email: Email })
      if (violations) return askForm(visit, values.email, violations)
      await askForReset(parts, values.email, visit.network)
      return lookIntoMail(parts, values.email, "if it belongs to an account, with a link to choose a new password.")
    },
  }),
  openPage({
    path: "/reset-password/finish",
    async get(visit) {
      refuseWithoutPasswords(parts)
      const token = String(visit.request.query.token)
      const link = await findMailedLink(parts.database, "reset-password", token)
      return link ? chooseForm(visit, link.email, token) : linkIsOver(visit, "/reset-password")
    },
    async post(visit, sent) {
      refuseWithoutPasswords(parts)
      const token = String(visit.request.query.token)
      const link = await findMailedLink(parts.database, "reset-password", token)
      if (link === undefined) return linkIsOver(visit, "/reset-password")
      try {
        await finishReset(parts, token, sent.get("password") ?? "", link.email)
        return goTo(visit.at("/sign-in?done=password-changed"))
      } catch (error) {
        if (error instanceof NotFound) return linkIsOver(visit, "/reset-password")
        if (error instanceof InvalidFields) return chooseForm(visit, link.email, token, error.violations)
        throw error
      }
    },
  }),
]

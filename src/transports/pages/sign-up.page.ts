import { isInvitation } from "../../accounts/invitation-link.commands.js"
import { findMailedLink } from "../../accounts/mailed-link.js"
import { askToSignUp, finishSignUp, refuseClosed } from "../../accounts/sign-up.commands.js"
import { InvalidFields, NotFound, type Violations } from "../../errors.js"
import { Email, Name } from "../../scalars/scalars.js"
import { hashOf } from "../../signing/secret.js"
import { button, field, form, readFields, violationsAbove } from "./form.js"
import { html } from "./html.js"
import { goTo, openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import { signInHere } from "./sign-in.page.js"
import { ourPage, type Visit } from "./visit.js"

/** Says that an email has been sent, whether or not it has. */
export const lookIntoMail = ({ mailer }: Pick<PageParts, "mailer">, email: string, what: string): Reply =>
  show({
    title: "Check your email",
    body: html`<div class="card"><p>We've sent an email to <strong><bdi>${email}</bdi></strong>, ${what}</p>
<p class="quiet">It should arrive within a minute. If it doesn't, check your spam folder. The link is valid for one hour.</p>
${mailer.keepsMails && html`<p>In development nothing is sent: read it at the address that the node printed when it started, <code>/dev/mails?key=…</code></p>`}</div>`,
  })

/** Answers a mailed link that is used or too old. */
export const linkIsOver = (visit: Visit, again: string): Reply =>
  show(
    {
      title: "This link has expired",
      body: html`<div class="card"><p>It has already been used, or is more than an hour old.</p>
<p><a class="button" href="${visit.at(again)}">Request a new link</a></p></div>`,
    },
    404,
  )

/** How a password is chosen. */
export const PASSWORD_HINT = "At least 10 characters. A few unrelated words are better than special characters."

/** The invitation whose link was opened, by what is stored of its token. */
export const invitationIn = ({ request }: Visit): Uint8Array<ArrayBuffer> | undefined =>
  typeof request.query.invitation === "string" ? hashOf(request.query.invitation) : undefined

/** Answers an invitation that is used up, revoked, too old or was never made, all alike. */
const invitationIsOver = (visit: Visit): Reply =>
  show(
    {
      title: "This invitation is over",
      body: html`<div class="card"><p>It has been used, was revoked, or is too old. Ask the person who sent it for a new one.</p>
<p><a class="button" href="${visit.at("/sign-in")}">Sign in</a></p></div>`,
    },
    404,
  )

function signUpForm(parts: PageParts, visit: Visit, email = "", violations?: Violations): Reply {
  const { signUp, identityProvider, passwordSignIn } = parts
  const query = visit.request.url.slice(visit.request.path.length)
  const isInvited = invitationIn(visit) !== undefined
  const body = html`${violationsAbove(violations)}
<div class="card">
${isInvited && html`<p>You are invited. If the invitation was made for one address, use that one.</p>`}
${isInvited && identityProvider && html`<p><a class="button" href="${visit.at(`/sign-in/provider${query}`)}">Continue with ${identityProvider.name}</a></p>`}
${isInvited && identityProvider && passwordSignIn && html`<p class="quiet">Or with a password here:</p>`}
${!isInvited && signUp === "invited" && html`<p>Only people who were invited to a list can sign up here. Use the address that was invited.</p>`}
${
  passwordSignIn &&
  form(
    visit,
    `/sign-up${query}`,
    html`${field({ name: "email", label: "Email address", type: "email", value: email, autocomplete: "email", isFirst: true, hint: "We'll send you a link to confirm that it is yours.", violations: violations?.email })}
${button("Continue")}`,
  )
}
</div>
<p>Already have an account? <a href="${visit.at(`/sign-in${query}`)}">Sign in</a></p>`
  return show({ title: "Sign up", body }, violations ? 422 : 200)
}

type Chosen = { name?: string; violations?: Violations }

function finishForm(visit: Visit, email: string, token: string, { name, violations }: Chosen = {}): Reply {
  const body = html`${violationsAbove(violations)}
<div class="card">
<p>Your address is <strong><bdi>${email}</bdi></strong>.</p>
${form(
  visit,
  `/sign-up/finish?token=${encodeURIComponent(token)}`,
  html`<input type="hidden" name="username" autocomplete="username" value="${email}">
${field({ name: "name", label: "Your name", value: name, autocomplete: "name", isFirst: true, hint: "Shown to people you share lists with.", violations: violations?.name })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: PASSWORD_HINT, violations: violations?.password })}
${button("Create account")}`,
)}
</div>`
  return show({ title: "Finish signing up", body }, violations ? 422 : 200)
}

/** Signing up: an address, then by the mailed link a name and a password. */
export const signUpPages = (parts: PageParts) => [
  openPage({
    path: "/sign-up",
    async get(visit) {
      const invitation = invitationIn(visit)
      if (invitation !== undefined)
        return (await isInvitation(parts, invitation)) ? signUpForm(parts, visit) : invitationIsOver(visit)
      if (!parts.passwordSignIn) return goTo(visit.at(`/sign-in${visit.request.url.slice(visit.request.path.length)}`))
      refuseClosed(parts)
      return signUpForm(parts, visit)
    },
    async post(visit, sent) {
      const invitation = invitationIn(visit)
      if (invitation !== undefined && !(await isInvitation(parts, invitation))) return invitationIsOver(visit)
      const { values, violations } = readFields(sent, { email: Email })
      if (violations) return signUpForm(parts, visit, values.email, violations)
      await askToSignUp(parts, values.email, visit.network, { next: ourPage(visit.request.query.next), invitation })
      const unless = parts.signUp === "invited" || invitation !== undefined ? "if it was invited, " : ""
      return lookIntoMail(parts, values.email, `${unless}with a link to choose your name and password.`)
    },
  }),
  openPage({
    path: "/sign-up/finish",
    async get(visit) {
      const token = String(visit.request.query.token)
      const link = await findMailedLink(parts.database, "sign-up", token)
      refuseClosed(parts, link?.invitation !== undefined)
      return link ? finishForm(visit, link.email, token) : linkIsOver(visit, "/sign-up")
    },
    async post(visit, sent) {
      const token = String(visit.request.query.token)
      const link = await findMailedLink(parts.database, "sign-up", token)
      if (link === undefined) return linkIsOver(visit, "/sign-up")
      const { values, violations } = readFields(sent, { name: Name })
      try {
        if (violations) throw new InvalidFields(violations)
        const userId = await finishSignUp(parts, token, values.name, sent.get("password") ?? "", link.email)
        await signInHere(parts, visit, userId)
        return goTo(visit.at(ourPage(link.next) ?? "/account?done=signed-up"))
      } catch (error) {
        if (error instanceof NotFound) return linkIsOver(visit, "/sign-up")
        if (!(error instanceof InvalidFields)) throw error
        return error.violations.email
          ? linkIsOver(visit, "/sign-in")
          : finishForm(visit, link.email, token, { ...values, violations: error.violations })
      }
    },
  }),
]

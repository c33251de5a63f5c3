import { finishSignIn, isHalfSignedIn, TooManyCodes } from "../../accounts/second-factor.commands.js"
import { InvalidFields, NotFound, type Violations } from "../../errors.js"
import { wait } from "./error.page.js"
import { button, form, violationsAbove } from "./form.js"
import { html } from "./html.js"
import { goTo, openPage, type Reply, show } from "./page.js"
import { codeField } from "./proof.js"
import type { PageParts } from "./router.js"
import { nextOf, signInHere } from "./sign-in.page.js"
import type { Visit } from "./visit.js"

function codeForm(visit: Visit, violations?: Violations, status = violations ? 422 : 200): Reply {
  const query = visit.request.url.slice(visit.request.path.length)
  const hint =
    "Of the application for one-time codes on your phone. Without it, enter one of your recovery codes, each of which is good once."
  const body = html`${violationsAbove(violations)}
<div class="card">
<p>Your password is right. Now enter a code.</p>
${form(visit, `/sign-in/code${query}`, html`${codeField({ isFirst: true, hint, violations: violations?.code })}${button("Sign in")}`)}
</div>
<p><a href="${visit.at(`/sign-in${query}`)}">Back to sign-in</a></p>`
  return show({ title: "Second factor", body }, status)
}

const tooLate = (visit: Visit): Reply =>
  show(
    {
      title: "Start again",
      body: html`<div class="card"><p>The password was entered in another browser, or more than ten minutes ago.</p>
<p><a class="button" href="${visit.at("/sign-in")}">Sign in</a></p></div>`,
    },
    404,
  )

/** The second step of signing in with a password, for users who have a second factor. */
export const signInCodePages = (parts: PageParts) => [
  openPage({
    path: "/sign-in/code",
    async get(visit) {
      if (visit.session) return goTo(visit.at(nextOf(visit) ?? "/"))
      return (await isHalfSignedIn(parts.database, visit.cookie, parts.now())) ? codeForm(visit) : tooLate(visit)
    },
    async post(visit, sent) {
      try {
        const shown = { code: sent.get("code") ?? "", network: visit.network, now: parts.now() }
        await signInHere(parts, visit, await finishSignIn(parts, visit.cookie, shown))
        return goTo(visit.at(nextOf(visit) ?? "/"))
      } catch (error) {
        if (error instanceof NotFound) return tooLate(visit)
        if (error instanceof InvalidFields) return codeForm(visit, error.violations)
        if (error instanceof TooManyCodes) {
          const reply = codeForm(visit, { code: [`was wrong too often. ${wait(error)}`] }, error.kind.status)
          return { ...reply, headers: { "Retry-After": String(error.retryAfterSeconds) } } as Reply
        }
        throw error
      }
    },
  }),
]

import { signIn } from "../../accounts/credentials.js"
import { signOutAtProvider } from "../../accounts/identity.commands.js"
import { refuseWithoutPasswords } from "../../accounts/password.commands.js"
import { awaitSecondFactor } from "../../accounts/second-factor.commands.js"
import { endSession, startSession } from "../../accounts/session.js"
import { Forbidden, InvalidFields, type Problem, RateLimited, Unavailable } from "../../errors.js"
import { Email } from "../../scalars/scalars.js"
import { newSecret } from "../../signing/secret.js"
import { minutes } from "./error.page.js"
import { button, field, form, noticeOf, readFields } from "./form.js"
import { signedOut } from "./home/signed-out.js"
import { type Html, html } from "./html.js"
import { goTo, openPage, type Reply } from "./page.js"
import type { PageParts } from "./router.js"
import { ourPage, setCookie, type Visit } from "./visit.js"

/** Signs a user in, in this browser: the cookie, which is returned, is another one than before. */
export async function signInHere({ database, tokensEnded }: PageParts, visit: Visit, userId: string): Promise<string> {
  const before = visit.cookie
  const token = await startSession(database, userId, visit.request.headers["user-agent"] ?? "")
  tokensEnded(await endSession(database, before))
  setCookie(visit, token, true)
  return token
}

const NOTICES: Readonly<Record<string, string>> = {
  "signed-out": "You have signed out.",
  deleted: "Your account has been deleted.",
  "password-changed": "Your password has been changed. Sign in with it now.",
}

type Shown = { email?: string; next: string | undefined; problem?: Html; status?: number }

function passwordForm(visit: Visit, query: string, email: string): Html {
  return form(
    visit,
    `/sign-in${query}`,
    html`${field({ name: "email", label: "Email address", type: "email", value: email, autocomplete: "username", isFirst: email === "" })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", isFirst: email !== "" })}
<div class="actions">${button("Sign in")}<a href="${visit.at("/reset-password")}">Forgot your password?</a></div>`,
  )
}

/** The page where people sign in; its answer never waits for the provider. */
function signInForm(parts: PageParts, visit: Visit, { email = "", next, problem, status = 200 }: Shown): Reply {
  const { identityProvider, passwordSignIn, signUp } = parts
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`
  const body = html`${problem && html`<p class="notice bad" role="alert">${problem}</p>`}
${problem === undefined && noticeOf(visit, NOTICES)}
<div class="card">
${next?.startsWith("/oauth/authorize") && html`<p>Sign in to decide whether the application may use your account.</p>`}
${identityProvider && html`<p><a class="button" href="${visit.at(`/sign-in/provider${query}`)}">Sign in with ${identityProvider.name}</a></p>`}
${identityProvider && passwordSignIn && html`<p class="quiet">Or with your password here:</p>`}
${passwordSignIn && passwordForm(visit, query, email)}
</div>
${passwordSignIn && signUp !== "closed" && html`<p>New here? <a href="${visit.at(`/sign-up${query}`)}">Sign up</a></p>`}`
  return signedOut(visit, { title: "Sign in", body }, status)
}

/** Says on that page why somebody is not signed in. What is no answer to a person is thrown on. */
export function refusedSignIn(parts: PageParts, visit: Visit, error: unknown, { email, next }: Shown): Reply {
  const shown = (problem: Html, { kind }: Problem) =>
    signInForm(parts, visit, { email, next, status: kind.status, problem })
  if (error instanceof InvalidFields) return shown(html`The email address or password is incorrect.`, error)
  if (error instanceof Forbidden || error instanceof Unavailable) return shown(html`${error.message}`, error)
  if (!(error instanceof RateLimited)) throw error
  const reply = shown(html`Too many failed attempts. Please wait ${minutes(error)}, then try again.`, error)
  return { ...reply, headers: { "Retry-After": String(error.retryAfterSeconds) } } as Reply
}

/** The page of ours that somebody was going to. */
export const nextOf = ({ request }: Visit): string | undefined => ourPage(request.query.next)

/** Tells a browser that it is signed out here, and leads it on. No redirect: a form's may lead to no other site. */
const signingOut = (visit: Visit, address: string, provider: string): Reply =>
  signedOut(visit, {
    title: "You have signed out",
    head: html`<meta http-equiv="refresh" content="0; url=${address}">`,
    body: html`<div class="card"><p>You have signed out of Tandem, and are being signed out of ${provider} too.</p>
<p><a class="button" href="${address}">Continue</a></p></div>`,
  })

/** `next` brings a signed-in user on to a page of ours and never elsewhere. Signing out is a POST. */
export function signInPages(parts: PageParts) {
  const { identityProvider } = parts
  return [
    openPage({
      path: "/sign-in",
      get(visit) {
        const next = nextOf(visit)
        return visit.session ? goTo(visit.at(next ?? "/")) : signInForm(parts, visit, { next })
      },
      async post(visit, sent) {
        const next = nextOf(visit)
        // An address that cannot be one is as unknown as any other, and counts as one.
        const { values } = readFields(sent, { email: Email })
        try {
          refuseWithoutPasswords(parts)
          const userId = await signIn(parts.database, values.email, sent.get("password") ?? "", visit.network)
          if (await awaitSecondFactor(parts.database, userId, visit.cookie, parts.now()))
            return goTo(visit.at(`/sign-in/code${next === undefined ? "" : `?next=${encodeURIComponent(next)}`}`))
          await signInHere(parts, visit, userId)
          return goTo(visit.at(next ?? "/"))
        } catch (error) {
          return refusedSignIn(parts, visit, error, { email: sent.get("email"), next })
        }
      },
    }),
    openPage({
      path: "/sign-out",
      // Where the provider leads back to.
      get: (visit) => goTo(visit.at(visit.session ? "/" : "/sign-in?done=signed-out")),
      async post(visit) {
        const cookie = visit.cookie
        const address = await signOutAtProvider(parts, cookie)
        parts.tokensEnded(await endSession(parts.database, cookie))
        setCookie(visit, newSecret(), false)
        if (address !== undefined && identityProvider !== undefined)
          return signingOut(visit, address, identityProvider.name)
        return goTo(visit.at("/sign-in?done=signed-out"))
      },
    }),
  ]
}

import { signIn } from "../../accounts/credentials.js"
import { endSession, startSession } from "../../accounts/session.js"
import { Forbidden, InvalidFields, RateLimited } from "../../errors.js"
import { Email } from "../../scalars/scalars.js"
import { newSecret } from "../../signing/secret.js"
import { minutes } from "./error.page.js"
import { button, field, form, noticeOf, readFields } from "./form.js"
import { type Html, html } from "./html.js"
import { goTo, openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import { ourPage, setCookie, tokenOf, type Visit } from "./visit.js"

/** Signs a user in, in this browser: the cookie is another one than before. */
export async function signInHere({ database, tokensEnded }: PageParts, visit: Visit, userId: string): Promise<void> {
  const before = tokenOf(visit)
  const token = await startSession(database, userId, visit.request.headers["user-agent"] ?? "")
  tokensEnded(await endSession(database, before))
  setCookie(visit, token, true)
}

const NOTICES: Readonly<Record<string, string>> = {
  "signed-out": "You have signed out.",
  "password-changed": "Your password has been changed. Sign in with it now.",
}

type Shown = { canSignUp: boolean; email?: string; next: string | undefined; problem?: Html; status?: number }

function signInForm(visit: Visit, { canSignUp, email = "", next, problem, status = 200 }: Shown): Reply {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`
  const body = html`${problem && html`<p class="notice bad" role="alert">${problem}</p>`}
${problem === undefined && noticeOf(visit, NOTICES)}
<div class="card">
${next?.startsWith("/oauth/authorize") && html`<p>Sign in to decide whether the application may use your account.</p>`}
${form(
  visit,
  `/sign-in${query}`,
  html`${field({ name: "email", label: "Email address", type: "email", value: email, autocomplete: "username", isFirst: email === "" })}
${field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", isFirst: email !== "" })}
<div class="actions">${button("Sign in")}<a href="${visit.at("/reset-password")}">Forgot your password?</a></div>`,
)}
</div>
${canSignUp && html`<p>New here? <a href="${visit.at(`/sign-up${query}`)}">Sign up</a></p>`}`
  return { ...show({ title: "Sign in", body }, status) }
}

const nextOf = ({ request }: Visit): string | undefined => ourPage(request.query.next)

/** Signing in and out. */
export function signInPages(parts: PageParts) {
  const canSignUp = parts.signUp !== "closed"
  return [
    openPage({
      path: "/sign-in",
      get(visit) {
        const next = nextOf(visit)
        return visit.session ? goTo(visit.at(next ?? "/")) : signInForm(visit, { canSignUp, next })
      },
      async post(visit, sent) {
        const next = nextOf(visit)
        // An address that cannot be one is as unknown as any other, and counts as one.
        const { values } = readFields(sent, { email: Email })
        try {
          await signInHere(
            parts,
            visit,
            await signIn(parts.database, values.email, sent.get("password") ?? "", visit.network),
          )
          return goTo(visit.at(next ?? "/"))
        } catch (error) {
          const email = sent.get("email")
          if (error instanceof InvalidFields)
            return signInForm(visit, {
              canSignUp,
              email,
              next,
              status: 422,
              problem: html`The email address or password is incorrect.`,
            })
          if (error instanceof Forbidden)
            return signInForm(visit, {
              canSignUp,
              email,
              next,
              status: error.kind.status,
              problem: html`${error.message}`,
            })
          if (!(error instanceof RateLimited)) throw error
          const problem = html`Too many failed attempts. Please wait ${minutes(error)}, then try again.`
          const reply = signInForm(visit, { canSignUp, email, next, status: error.kind.status, problem })
          return { ...reply, headers: { "Retry-After": String(error.retryAfterSeconds) } }
        }
      },
    }),
    openPage({
      path: "/sign-out",
      async post(visit) {
        parts.tokensEnded(await endSession(parts.database, tokenOf(visit)))
        setCookie(visit, newSecret(), false)
        return goTo(visit.at("/sign-in?done=signed-out"))
      },
    }),
  ]
}

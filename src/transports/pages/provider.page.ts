import { admit } from "../../accounts/identity.commands.js"
import { findPending, keepIdToken, type PendingIdentity } from "../../accounts/identity.rows.js"
import { comeBack, goToProvider, providerOf } from "../../accounts/identity-request.js"
import { askToConfirm, confirmByMail, linkByPassword } from "../../accounts/pending-identity.commands.js"
import { Forbidden, InvalidFields, NotFound } from "../../errors.js"
import { button, field, form } from "./form.js"
import { html } from "./html.js"
import { goTo, openPage, type Reply, show } from "./page.js"
import { codeField } from "./proof.js"
import type { PageParts } from "./router.js"
import { nextOf, refusedSignIn, signInHere } from "./sign-in.page.js"
import { invitationIn, linkIsOver, lookIntoMail } from "./sign-up.page.js"
import { ourPage, type Visit } from "./visit.js"

const tokenIn = ({ request }: Visit): string => String(request.query.token)

/** Asks for a proof. It reads the same whether or not the address has an account. */
function proofForm(
  parts: PageParts,
  visit: Visit,
  { email, invitation }: PendingIdentity,
  { problem, status = 200 }: { problem?: string; status?: number } = {},
): Reply {
  const { name } = providerOf(parts)
  const query = `?token=${encodeURIComponent(tokenIn(visit))}`
  const body = html`${problem !== undefined && html`<p class="notice bad" role="alert">${problem}</p>`}
<p>${name} gave your address as <strong><bdi>${email}</bdi></strong>. Please show once that it is yours.</p>
<section class="card" aria-labelledby="known"><h2 id="known">I have an account here</h2>
${form(
  visit,
  `/sign-in/provider/link${query}`,
  html`<input type="hidden" name="username" autocomplete="username" value="${email}">
${field({ name: "password", label: "Password of your account here", type: "password", autocomplete: "current-password", isFirst: true, hint: `From then on ${name} signs you in, without this password.` })}
${codeField({ isOptional: true, hint: "If that account has a second factor." })}
${button("Continue")}`,
)}</section>
${
  (parts.signUp !== "closed" || invitation !== undefined) &&
  html`<section class="card" aria-labelledby="new"><h2 id="new">I am new here</h2>
<p>We'll send you a link that confirms the address and creates your account.</p>
${form(visit, `/sign-in/provider/mail${query}`, button("Send link", "plain"))}</section>`
}`
  return show({ title: "Is this address yours?", body }, status)
}

const confirmForm = (visit: Visit, { email }: PendingIdentity): Reply =>
  show({
    title: "Create your account",
    body: html`<div class="card"><p>Your address is <strong><bdi>${email}</bdi></strong>.</p>
${form(visit, `/sign-in/provider/confirm?token=${encodeURIComponent(tokenIn(visit))}`, button("Create account"))}</div>`,
  })

/** Signing in with the OpenID provider: there, back, and where its word does not suffice, the proof of an address. */
export function providerPages(parts: PageParts) {
  if (parts.identityProvider === undefined) return []

  /** Signs in, and leads on to where somebody was going. */
  async function welcome(
    visit: Visit,
    userId: string,
    identity: { issuer: string; idToken: string },
    next: string | undefined,
  ): Promise<Reply> {
    await keepIdToken(parts.database, await signInHere(parts, visit, userId), identity.issuer, identity.idToken)
    return goTo(visit.at(ourPage(next) ?? "/"))
  }

  /** What leads nowhere any more is said in words. */
  async function unlessOver(visit: Visit, work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof NotFound) return linkIsOver(visit, "/sign-in")
      if (error instanceof Forbidden) return refusedSignIn(parts, visit, error, { next: undefined })
      throw error
    }
  }

  return [
    openPage({
      path: "/sign-in/provider",
      async get(visit) {
        const next = nextOf(visit)
        if (visit.session) return goTo(visit.at(next ?? "/"))
        try {
          return {
            to: await goToProvider(parts, visit.cookie, visit.network, { next, invitation: invitationIn(visit) }),
            status: 302,
          }
        } catch (error) {
          return refusedSignIn(parts, visit, error, { next })
        }
      },
    }),
    openPage({
      path: "/sign-in/provider/callback",
      async get(visit) {
        const query = new URLSearchParams(visit.request.url.slice(visit.request.path.length + 1))
        try {
          const { identity, ...asked } = await comeBack(parts, visit.cookie, visit.network, query)
          const admitted = await admit(parts, identity, visit.cookie, asked)
          if ("userId" in admitted) return await welcome(visit, admitted.userId, identity, asked.next)
          return goTo(visit.at(`/sign-in/provider/link?token=${admitted.pendingToken}`))
        } catch (error) {
          return refusedSignIn(parts, visit, error, { next: undefined })
        }
      },
    }),
    openPage({
      path: "/sign-in/provider/link",
      get: (visit) =>
        unlessOver(visit, async () =>
          proofForm(parts, visit, await findPending(parts.database, "tokenHash", tokenIn(visit), visit.cookie)),
        ),
      post: (visit, sent) =>
        unlessOver(visit, async () => {
          const [token, browser] = [tokenIn(visit), visit.cookie]
          try {
            const { userId, pending } = await linkByPassword(parts, token, browser, {
              password: sent.get("password") ?? "",
              code: sent.get("code") ?? "",
              network: visit.network,
              now: parts.now(),
            })
            return await welcome(visit, userId, pending, pending.next)
          } catch (error) {
            if (!(error instanceof InvalidFields)) throw error
            const pending = await findPending(parts.database, "tokenHash", token, browser)
            return proofForm(parts, visit, pending, { problem: "The password or the code is incorrect.", status: 422 })
          }
        }),
    }),
    openPage({
      path: "/sign-in/provider/mail",
      post: (visit) =>
        unlessOver(visit, async () => {
          const email = await askToConfirm(parts, tokenIn(visit), visit.cookie, visit.network)
          return lookIntoMail(parts, email, "with a link. Open it in this browser to create your account.")
        }),
    }),
    openPage({
      path: "/sign-in/provider/confirm",
      get: (visit) =>
        unlessOver(visit, async () =>
          confirmForm(visit, await findPending(parts.database, "mailedHash", tokenIn(visit), visit.cookie)),
        ),
      post: (visit) =>
        unlessOver(visit, async () => {
          const { userId, pending } = await confirmByMail(parts, tokenIn(visit), visit.cookie)
          return welcome(visit, userId, pending, pending.next)
        }),
    }),
  ]
}

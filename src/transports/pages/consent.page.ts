import { Forbidden } from "../../errors.js"
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  FaultyRequest,
} from "../../oauth/authorization-request.js"
import { denyConsent, giveConsent } from "../../oauth/consent.js"
import { form } from "./form.js"
import { type Html, html } from "./html.js"
import { openPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn, Visit } from "./visit.js"
import { day } from "./when.js"

const queryOf = ({ request }: Visit): string => request.originalUrl.split("?").slice(1).join("?")

/** Where the code goes: the host, in ASCII so that none can look like another; for an app's own scheme, that. */
function targetOf(redirectUri: string): { shown: string; source: string } {
  const { host, protocol, origin } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? { shown: host, source: origin } : { shown: protocol, source: protocol }
}

const may = (offline: boolean): Html => html`<p>If you agree, it may</p>
<ul class="may">
<li>read and change your lists and everything in them</li>
<li>see the names and addresses of the people with whom you share lists</li>
<li>change your name, and keep settings for you</li>
${offline && html`<li>renew its access by itself until you revoke it</li>`}
</ul>
<p>It may not</p>
<ul class="may not"><li>see your password or change your address</li>
<li>make tokens or let other applications in</li></ul>`

function consentPage(visit: SignedIn, { application, redirectUri, offline }: AuthorizationRequest): Reply {
  const { shown, source } = targetOf(redirectUri)
  const { user } = visit.session
  const body = html`<div class="card">
<p><strong><bdi>${application.name}</bdi></strong> asks to use your account.</p>
${may(offline)}
<dl class="facts"><dt>You go on to</dt><dd><code>${shown}</code></dd><dt>Registered</dt><dd>${day(application.createdAt)}</dd>
<dt>Your account</dt><dd><bdi>${user.name}</bdi> (<bdi>${user.email}</bdi>)</dd></dl>
${form(
  visit,
  `/oauth/authorize?${queryOf(visit)}`,
  html`<div class="actions even"><button class="plain" name="decision" value="deny">Deny</button><button class="main" name="decision" value="allow">Allow</button></div>`,
)}</div>
<p class="quiet small">Agree only if you were about to use <bdi>${application.name}</bdi>. You can revoke it at any time among your authorised applications.</p>`
  return show({ title: `Let ${application.name} in?`, body, formTarget: source })
}

/** Tells the application what is wrong with its request, where that may be told. */
async function unlessFaulty(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FaultyRequest) return { to: error.returnTo, status: 302 }
    throw error
  }
}

/** Where an application sends people to ask for their consent. (§5) */
export const consentPages = ({ database }: PageParts) => [
  openPage({
    path: "/oauth/authorize",
    get: (visit) =>
      unlessFaulty(async () => {
        const asked = await checkAuthorizationRequest(database, queryOf(visit))
        if (visit.session) return consentPage(visit as SignedIn, asked)
        return {
          to: visit.at(`/sign-in?next=${encodeURIComponent(`/oauth/authorize?${queryOf(visit)}`)}`),
          status: 302,
        }
      }),
    post: (visit, sent) =>
      unlessFaulty(async () => {
        const asked = await checkAuthorizationRequest(database, queryOf(visit))
        if (visit.session === undefined)
          throw new Forbidden("You have signed out in the meantime. Nothing was changed.")
        const isAllowed = sent.get("decision") === "allow"
        const to = isAllowed ? await giveConsent(database, visit.session.user.id, asked) : denyConsent(asked)
        return { to, status: 302 }
      }),
  }),
]

import { Forbidden } from "../../errors.js"
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  InvalidRequest,
} from "../../oauth/authorization-request.js"
import { denyConsent, giveConsent } from "../../oauth/consent.js"
import { SCOPES, Scope } from "../../scalars/scope.js"
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
  // The grammar of policies has no addresses of IPv6.
  if (host.startsWith("[")) return { shown: host, source: protocol }
  return /^https?:$/.test(protocol) ? { shown: host, source: origin } : { shown: protocol, source: protocol }
}

/** Each scope as people are asked for it. */
const IN_WORDS: Readonly<Record<Scope, readonly string[]>> = {
  [Scope.read]: [
    "see your lists and everything in them",
    "see the names and email addresses of people you share lists with",
  ],
  [Scope.write]: ["create, change and delete lists and everything in them, and your settings"],
  [Scope.share]: ["invite people to your lists, remove them, and accept invitations for you"],
  [Scope.manage]: ["change your name", "register webhooks and devices that are told of changes and reminders"],
}

const all = (scopes: readonly Scope[]) => scopes.flatMap((scope) => IN_WORDS[scope])

const may = ({ scopes, offline }: AuthorizationRequest): Html => html`<p>If you allow it, it can</p>
<ul class="may">
${all(scopes).map((words) => html`<li>${words}</li>`)}
${offline && html`<li>keep its access until you revoke it</li>`}
</ul>
<p>It cannot</p>
<ul class="may not">${all(SCOPES.filter((scope) => !scopes.includes(scope))).map((words) => html`<li>${words}</li>`)}
<li>see your password or change your email address</li>
<li>create tokens or give other applications access</li></ul>`

/** What the page shows comes back with the decision: the application may have been changed while the page was open. */
const shownIn = ({ scopes }: AuthorizationRequest): string => scopes.join(" ")

function consentPage(visit: SignedIn, asked: AuthorizationRequest, { isChanged = false } = {}): Reply {
  const { application, redirectUri } = asked
  const { shown, source } = targetOf(redirectUri)
  const { user } = visit.session
  const body = html`<div class="card">
${isChanged && html`<p class="notice bad" role="alert">The application has just been changed: this is what it asks for now. Nothing was allowed.</p>`}
<p><strong><bdi>${application.name}</bdi></strong> wants to use your account.</p>
${may(asked)}
<dl class="facts"><dt>Continues to</dt><dd><code>${shown}</code></dd><dt>Registered</dt><dd>${day(application.createdAt)}</dd>
<dt>Your account</dt><dd><bdi>${user.name}</bdi> (<bdi>${user.email}</bdi>)</dd></dl>
${form(
  visit,
  `/oauth/authorize?${queryOf(visit)}`,
  html`<input type="hidden" name="scopes" value="${shownIn(asked)}"><div class="actions even"><button class="plain" name="decision" value="deny">Deny</button><button class="main" name="decision" value="allow">Allow</button></div>`,
)}</div>
<p class="quiet small">Allow this only if you intend to use <bdi>${application.name}</bdi>. You can revoke its access at any time under “Authorised apps”.</p>`
  return show({ title: `Allow ${application.name}?`, body, formTarget: source }, isChanged ? 409 : 200)
}

/** Tells the application what is wrong with its request, where that may be told. */
async function unlessInvalid(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidRequest) return { to: error.returnTo, status: 302 }
    throw error
  }
}

/** Where an application sends people to ask for their consent. (§5) */
export const consentPages = ({ database, publicUrl }: PageParts) => [
  openPage({
    path: "/oauth/authorize",
    get: (visit) =>
      unlessInvalid(async () => {
        const asked = await checkAuthorizationRequest(database, queryOf(visit), publicUrl())
        if (visit.session) return consentPage(visit as SignedIn, asked)
        return {
          to: visit.at(`/sign-in?next=${encodeURIComponent(`/oauth/authorize?${queryOf(visit)}`)}`),
          status: 302,
        }
      }),
    post: (visit, sent) =>
      unlessInvalid(async () => {
        const asked = await checkAuthorizationRequest(database, queryOf(visit), publicUrl())
        if (visit.session === undefined) throw new Forbidden("You have been signed out. Nothing was changed.")
        const isAllowed = sent.get("decision") === "allow"
        if (isAllowed && sent.get("scopes") !== shownIn(asked))
          return consentPage(visit as SignedIn, asked, { isChanged: true })
        const to = isAllowed ? await giveConsent(database, visit.session.user.id, asked) : denyConsent(asked)
        return { to, status: 302 }
      }),
  }),
]

import { InvalidFields, type Violations } from "../../errors.js"
import {
  createApplication,
  createPublicApplication,
  deleteApplication,
  rotateApplicationSecret,
  updateApplication,
} from "../../resources/application/application.commands.js"
import { applicationOfOwner, applicationsOfUser } from "../../resources/application/application.rows.js"
import { type Application, ApplicationDialect } from "../../resources/application/application.type.js"
import type { Form } from "../../scalars/form.js"
import { idOf, Name, RedirectUri, type Refusal } from "../../scalars/scalars.js"
import { SCOPES, type Scope } from "../../scalars/scope.js"
import { button, field, form, noticeOf, readFields, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import { readScopes, scopesField } from "./scopes-field.js"
import type { SignedIn } from "./visit.js"
import { day } from "./when.js"

const NOTICES = { changed: "Application saved.", deleted: "Application deleted." }

type Typed = {
  name: string
  redirectUris: string
  dialect: ApplicationDialect
  scopes: Scope[]
}

/** The fields of an application as its forms send them. */
function readApplication(sent: Form): { typed: Typed; redirectUris: string[]; violations: Violations | undefined } {
  const { values, violations: named = {} } = readFields(sent, { name: Name })
  const redirectUris = (sent.get("redirectUris") ?? "").split(/\s+/).filter((uri) => uri !== "")
  const violations: Violations = { ...named }
  for (const uri of redirectUris)
    try {
      RedirectUri.parseValue(uri)
    } catch (refusal) {
      violations.redirectUris = [...(violations.redirectUris ?? []), `${(refusal as Refusal).reason} (${uri})`]
    }
  const dialect = sent.get("dialect") === "wunderlist" ? ApplicationDialect.wunderlist : ApplicationDialect.spec
  const typed = { name: values.name, redirectUris: sent.get("redirectUris") ?? "", dialect, scopes: readScopes(sent) }
  return { typed, redirectUris, violations: Object.keys(violations).length > 0 ? violations : undefined }
}

function fields({ name, redirectUris, dialect, scopes }: Typed, violations: Violations | undefined): Html {
  const choice = (value: ApplicationDialect, text: string) =>
    html`<label class="choice"><input type="radio" name="dialect" value="${value}"${dialect === value && html` checked`}><span>${text}</span></label>`
  return html`${field({ name: "name", label: "Name", value: name, hint: "Shown to people when it asks for their consent.", violations: violations?.name })}
${field({ name: "redirectUris", label: "Redirect URIs", value: redirectUris, rows: 3, isOptional: true, hint: "Where people return to after consent, one per line. Compared character by character. Use https, or http://127.0.0.1 for a program on the user's own machine, which may then use any port.", violations: violations?.redirectUris })}
<fieldset><legend>Dialect of REST responses</legend>
${choice(ApplicationDialect.spec, "as in the interface specification")}
${choice(ApplicationDialect.wunderlist, "as in the retired Wunderlist service, for programs written for it")}</fieldset>
${scopesField("It may ask people to", scopes, violations?.scopes)}`
}

const secretShown = (clientId: string, secret: string): Html =>
  html`<section class="card" aria-labelledby="secret-once"><h2 id="secret-once">New client secret</h2>
<p>Copy it now: it is shown only once. Keep it secret, and never put it into a web page or an app that you distribute.</p>
<dl class="facts"><dt>Client ID</dt><dd><code>${clientId}</code></dd></dl>
<p><span class="secret">${secret}</span></p></section>`

const typedOf = ({ name, redirectUris, dialect, scopes }: Application): Typed => ({
  name,
  redirectUris: redirectUris.join("\n"),
  dialect,
  scopes,
})

type Shown = { secret?: string; typed?: Typed; violations?: Violations }

function applicationPage(visit: SignedIn, application: Application, { secret, typed, violations }: Shown = {}): Reply {
  const { id, clientId, name, createdAt, isPublic } = application
  const body = html`${violations ? violationsAbove(violations) : noticeOf(visit, NOTICES)}
${secret !== undefined && secretShown(clientId, secret)}
<section class="card" aria-labelledby="application"><h2 id="application">Details</h2>
<dl class="facts"><dt>Client ID</dt><dd><code>${clientId}</code></dd><dt>Registered</dt><dd>${day(createdAt)}</dd>
<dt>Secret</dt><dd>${isPublic ? "none: it is public, and uses PKCE" : "yes"}</dd></dl>
${form(visit, `/applications/${id}`, html`${fields(typed ?? typedOf(application), violations)}${button("Save")}`)}</section>
<section class="card" aria-label="Secret and deletion">
${
  !isPublic &&
  html`<details><summary>Rotate the client secret</summary>
<p>The current secret stops working at once. Tokens stay valid.</p>
${form(visit, `/applications/${id}/secret`, button("Create a new secret", "danger"))}</details>`
}
<details><summary>Delete the application</summary>
<p>All its tokens are revoked at once. This cannot be undone.</p>
${form(visit, `/applications/${id}/delete`, button(html`Delete <bdi>${name}</bdi>`, "danger"))}</details></section>
<p><a href="${visit.at("/applications")}">All my applications</a></p>`
  return show({ title: name, body, isWide: true }, violations ? 422 : 200)
}

/** Whether it can keep a secret is said once. */
function kind(isPublic: boolean): Html {
  const choice = (value: string, isChosen: boolean, text: string) =>
    html`<label class="choice"><input type="radio" name="kind" value="${value}"${isChosen && html` checked`}><span>${text}</span></label>`
  return html`<fieldset><legend>Where it runs</legend>
${choice("confidential", !isPublic, "on a server, which keeps its client secret")}
${choice("public", isPublic, "on people's devices or in a page: public, without a secret, with PKCE")}</fieldset>`
}

function newPage(visit: SignedIn, typed: Typed & { isPublic: boolean }, violations?: Violations): Reply {
  const body = html`${violationsAbove(violations)}<div class="card">
${form(visit, "/applications/new", html`${fields(typed, violations)}${kind(typed.isPublic)}<div class="actions">${button("Register")}<a href="${visit.at("/applications")}">Cancel</a></div>`)}</div>`
  return show({ title: "Register an application", body, isWide: true }, violations ? 422 : 200)
}

/** The applications that a user has registered. */
export function applicationsPages({ database, defaultDialect, tokensEnded }: PageParts) {
  const mine = ({ request, session }: SignedIn) =>
    applicationOfOwner(database, idOf(request.params.id), session.user.id)

  return [
    closedPage({
      path: "/applications",
      async get(visit) {
        const applications = await applicationsOfUser(database, visit.session.user.id)
        const rows = applications.map(
          ({
            id,
            name,
            clientId,
            createdAt,
          }) => html`<li><div class="what"><p class="name"><a href="${visit.at(`/applications/${id}`)}"><bdi>${name}</bdi></a></p>
<p class="quiet small">Client ID <code>${clientId}</code>, registered ${day(createdAt)}</p></div></li>`,
        )
        const body = html`${noticeOf(visit, NOTICES)}
<div class="card">${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p>You haven't registered any apps yet.</p><p class="quiet">Register a program that asks other people for access to their lists. For your own scripts, an <a href="${visit.at("/access-tokens")}">access token</a> is enough.</p>`}</div>
<p><a class="button" href="${visit.at("/applications/new")}">Register an application</a></p>`
        return show({ title: "My applications", body, isWide: true })
      },
    }),
    closedPage({
      path: "/applications/new",
      get: (visit) =>
        newPage(visit, {
          name: "",
          redirectUris: "",
          dialect: defaultDialect as ApplicationDialect,
          scopes: [...SCOPES],
          isPublic: false,
        }),
      async post(visit, sent) {
        const { typed, redirectUris, violations } = readApplication(sent)
        const isPublic = sent.get("kind") === "public"
        try {
          if (violations) throw new InvalidFields(violations)
          const { id } = visit.session.user
          if (isPublic)
            return applicationPage(visit, await createPublicApplication(database, id, { ...typed, redirectUris }))
          const made = await createApplication(database, id, { ...typed, redirectUris })
          return applicationPage(visit, made.application, { secret: made.clientSecret })
        } catch (error) {
          if (error instanceof InvalidFields) return newPage(visit, { ...typed, isPublic }, error.violations)
          throw error
        }
      },
    }),
    closedPage({
      path: "/applications/:id",
      get: async (visit) => applicationPage(visit, await mine(visit)),
      async post(visit, sent) {
        const application = await mine(visit)
        const { typed, redirectUris, violations } = readApplication(sent)
        try {
          if (violations) throw new InvalidFields(violations)
          const { user } = visit.session
          tokensEnded((await updateApplication(database, user.id, application.id, { ...typed, redirectUris })).narrowed)
          return goTo(visit.at(`/applications/${application.id}?done=changed`))
        } catch (error) {
          if (error instanceof InvalidFields)
            return applicationPage(visit, application, { typed, violations: error.violations })
          throw error
        }
      },
    }),
    closedPage({
      path: "/applications/:id/secret",
      async post(visit) {
        const made = await rotateApplicationSecret(database, visit.session.user.id, idOf(visit.request.params.id))
        return applicationPage(visit, made.application, { secret: made.clientSecret })
      },
    }),
    closedPage({
      path: "/applications/:id/delete",
      async post(visit) {
        tokensEnded(await deleteApplication(database, visit.session.user.id, idOf(visit.request.params.id)))
        return goTo(visit.at("/applications?done=deleted"))
      },
    }),
  ]
}

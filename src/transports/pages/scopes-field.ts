import type { Form } from "../../scalars/form.js"
import { SCOPES, Scope } from "../../scalars/scope.js"
import { type Html, html } from "./html.js"

const WORDS: Readonly<Record<Scope, string>> = {
  [Scope.read]: "see lists and everything in them",
  [Scope.write]: "create, change and delete lists and what is in them",
  [Scope.share]: "invite and remove people, accept invitations",
  [Scope.manage]: "manage the account, webhooks, devices, tokens and applications",
}

/** Boxes for scopes, some of them ticked. */
export const scopesField = (
  legend: string,
  ticked: readonly Scope[],
  violations: readonly string[] | undefined,
): Html => html`<fieldset><legend>${legend}</legend>
${violations && html`<p class="fault"><span aria-hidden="true">! </span>${legend} ${violations.join("; ")}.</p>`}
${SCOPES.map((scope) => html`<label class="choice"><input type="checkbox" name="scope_${scope}" value="on"${ticked.includes(scope) && html` checked`}><span>${WORDS[scope]} <code>${scope}</code></span></label>`)}</fieldset>`

/** The scopes whose boxes were ticked. */
export const readScopes = (sent: Form): Scope[] => SCOPES.filter((scope) => sent.has(`scope_${scope}`))

/** What somebody can do with a token. */
export const scopesInWords = (scopes: readonly Scope[]): string =>
  scopes.length === SCOPES.length
    ? "can do everything with your lists that you can"
    : `can, in your name, ${new Intl.ListFormat("en").format(scopes.map((scope) => WORDS[scope]))}`

/** Scopes in a line of a list. */
export const scopesShown = (scopes: readonly Scope[]): Html | string =>
  scopes.length === SCOPES.length ? "can do everything" : html`scopes ${scopes.join(", ")}`

import { asksForPassword } from "../../accounts/delete-account.js"
import { shownSecret } from "../../accounts/one-time-code.js"
import { refuseWithoutPasswords } from "../../accounts/password.commands.js"
import {
  beginSecondFactor,
  confirmSecondFactor,
  endSecondFactor,
  renewRecoveryCodes,
  waitingSecret,
} from "../../accounts/second-factor.commands.js"
import { secondFactorOf } from "../../accounts/second-factor.rows.js"
import { InvalidFields, NotFound, type Violations } from "../../errors.js"
import { button, field, form, noticeOf, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import { codeField, proofIn, secondFactorField } from "./proof.js"
import { qrCode } from "./qr-code.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import { day } from "./when.js"

const PATH = "/account/second-factor"
const NOTICES = { off: "Your second factor is off." }

const passwordField = (violations?: Violations, id?: string): Html =>
  field({
    name: "password",
    id,
    label: "Current password",
    type: "password",
    autocomplete: "current-password",
    violations: violations?.password,
  })

/** Which form was refused, and why. */
type Refused = { form: "begin" | "codes" | "off"; violations: Violations }

const offered = (visit: SignedIn, refused: Refused | undefined): Html =>
  html`<section class="card" aria-labelledby="off"><h2 id="off">Off</h2>
<p>With a second factor, your password alone signs nobody in: a code of an application on your phone is asked for too. Any application for one-time codes will do.</p>
${form(visit, `${PATH}/begin`, html`${passwordField(refused?.violations)}${button("Set up")}`)}</section>`

function inForce(
  visit: SignedIn,
  { since, codesLeft }: { since: string; codesLeft: number },
  refused: Refused | undefined,
): Html {
  const proof = (of: Refused["form"]) => {
    const violations = refused?.form === of ? refused.violations : undefined
    return html`${passwordField(violations, `password-${of}`)}
${secondFactorField(`code-${of}`, violations?.code)}`
  }
  return html`<p>Your second factor is on since ${day(since)}. Signing in with your password asks for a code; access tokens and applications work as before.</p>
<section class="card" aria-labelledby="codes"><h2 id="codes">Recovery codes</h2>
<p class="quiet">${codesLeft} of 10 are left. New ones make the old ones worth nothing.</p>
${form(visit, `${PATH}/codes`, html`${proof("codes")}${button("Make new codes", "plain")}`)}</section>
<section class="card" aria-labelledby="end"><h2 id="end">Turn it off</h2>
${form(visit, `${PATH}/off`, html`${proof("off")}${button("Turn off", "danger")}`)}</section>`
}

function secretPage(visit: SignedIn, secret: Buffer, violations?: Violations): Reply {
  const { text, address } = shownSecret(secret, visit.session.user.email)
  const body = html`${violationsAbove(violations)}
<div class="card">
<p>Scan this with your application:</p>
<p>${qrCode(address, "QR code for your application")}</p>
<p>Or enter this secret there, or <a href="${address}">open the application</a> on this device:</p>
<p><span class="secret">${text}</span></p>
${form(visit, `${PATH}/confirm`, html`${codeField({ isFirst: true, hint: "The six digits that the application shows now.", violations: violations?.code })}${button("Turn on")}`)}
</div>
<p><a href="${visit.at(PATH)}">Cancel</a></p>`
  return show({ title: "Set up your second factor", body }, violations ? 422 : 200)
}

const codesPage = (visit: SignedIn, codes: readonly string[]): Reply =>
  show({
    title: "Your recovery codes",
    body: html`<div class="card"><p class="notice good" role="status">Your second factor is on.</p>
<p>Each of these signs you in once, with your password, when you do not have your application. They are shown only now: print them, or keep them where you keep passwords.</p>
<pre class="secret" tabindex="0" aria-label="Recovery codes">${codes.join("\n")}</pre>
<p><a class="button" href="${visit.at("/account")}">I have kept them</a></p></div>`,
  })

/** Where users with a password turn a second factor on and off. */
export function secondFactorPages(parts: PageParts) {
  async function page(visit: SignedIn, refused?: Refused): Promise<Reply> {
    const { user } = visit.session
    const factor = await secondFactorOf(parts.database, user.id)
    const without = html`<div class="card"><p>You sign in without a password here, so a second factor is the matter of the service that signs you in.</p></div>`
    const shown = factor
      ? inForce(visit, factor, refused)
      : asksForPassword(parts, user)
        ? offered(visit, refused)
        : without
    const body = html`${refused ? violationsAbove(refused.violations) : noticeOf(visit, NOTICES)}
${shown}
<p><a href="${visit.at("/account")}">Back to your account</a></p>`
    return show({ title: "Second factor", body }, refused ? 422 : 200)
  }

  /** Shows a form again whose proof was refused; where it makes no sense any more, the page as it is by now. */
  async function unlessWrong(visit: SignedIn, of: Refused["form"], work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof NotFound) return goTo(visit.at(PATH))
      if (error instanceof InvalidFields) return page(visit, { form: of, violations: error.violations })
      throw error
    }
  }

  return [
    closedPage({ path: PATH, get: (visit) => page(visit) }),
    closedPage({
      path: `${PATH}/begin`,
      post: (visit, sent) =>
        unlessWrong(visit, "begin", async () => {
          refuseWithoutPasswords(parts)
          const { user } = visit.session
          return secretPage(visit, await beginSecondFactor(parts, user, sent.get("password") ?? "", parts.now()))
        }),
    }),
    closedPage({
      path: `${PATH}/confirm`,
      post: (visit, sent) =>
        unlessWrong(visit, "begin", async () => {
          const { user } = visit.session
          try {
            return codesPage(visit, await confirmSecondFactor(parts, user, sent.get("code") ?? "", parts.now()))
          } catch (error) {
            if (!(error instanceof InvalidFields)) throw error
            return secretPage(visit, await waitingSecret(parts, user.id, parts.now()), error.violations)
          }
        }),
    }),
    closedPage({
      path: `${PATH}/codes`,
      post: (visit, sent) =>
        unlessWrong(visit, "codes", async () =>
          codesPage(visit, await renewRecoveryCodes(parts, visit.session.user, proofIn(sent, parts.now()))),
        ),
    }),
    closedPage({
      path: `${PATH}/off`,
      post: (visit, sent) =>
        unlessWrong(visit, "off", async () => {
          await endSecondFactor(parts, visit.session.user, proofIn(sent, parts.now()))
          return goTo(visit.at(`${PATH}?done=off`))
        }),
    }),
  ]
}

import { setName } from "../../accounts/account.rows.js"
import { askForNewEmail, finishNewEmail } from "../../accounts/email.commands.js"
import { changePassword } from "../../accounts/password.commands.js"
import { PICTURE_LIMIT_BYTES, removePicture, setPicture } from "../../accounts/picture.js"
import { secondFactorOf } from "../../accounts/second-factor.rows.js"
import { InvalidFields, NotFound, TooLarge, type Violations } from "../../errors.js"
import { avatarUrlOf } from "../../pictures/avatar.js"
import { Email, Name } from "../../scalars/scalars.js"
import { calendarFeedForms, calendarFeedsSection, type FeedNews } from "./calendar-feeds.section.js"
import { button, field, form, noticeOf, readFields, violationsAbove } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo, type Reply, show } from "./page.js"
import { proofIn, secondFactorField } from "./proof.js"
import type { PageParts } from "./router.js"
import { linkIsOver, lookIntoMail, PASSWORD_HINT } from "./sign-up.page.js"
import { timeZoneForms, timeZoneSection } from "./time-zone.section.js"
import type { SignedIn } from "./visit.js"

const NOTICES: Readonly<Record<string, string>> = {
  "signed-up": "Welcome! Your account has been created.",
  name: "Your name has been changed.",
  email: "Your email address has been changed.",
  password: "Your password has been changed. All other browsers have been signed out.",
  picture: "Your picture has been changed.",
  feed: "Calendar feed revoked.",
  zone: "Your time zone has been changed.",
}

/** What the user entered into a form that was refused; the other forms show what is stored. */
type Typed = {
  form?: "name" | "email" | "password" | "picture"
  values?: Partial<Record<string, string>>
  violations?: Violations
  feeds?: FeedNews
}

/** The address of the user's picture, on the host of this request, which may differ from the service's own. */
function pictureOf({ session, at }: SignedIn, publicUrl: string): string {
  const address = avatarUrlOf(publicUrl, session.user, 128)
  return address.startsWith(`${publicUrl}/`) ? at(address.slice(publicUrl.length)) : address
}

function passwordSection(visit: SignedIn, hasFactor: boolean, violations: Violations | undefined): Html {
  const { user } = visit.session
  if (!user.hasPassword)
    return html`<section class="card" aria-labelledby="secret"><h2 id="secret">Password</h2>
<p class="quiet">You have none. To choose one, open the link that we'll send to your address. It signs you out of all browsers.</p>
${form(visit, "/account/password", button("Send link"))}</section>`
  return html`<section class="card" aria-labelledby="secret"><h2 id="secret">Password</h2>
<p class="quiet">Changing it signs you out of all other browsers. Applications and tokens keep working.</p>
${form(
  visit,
  "/account/password",
  html`<input type="hidden" name="username" autocomplete="username" value="${user.email}">
${field({ name: "oldPassword", label: "Current password", type: "password", autocomplete: "current-password", violations: violations?.password })}
${field({ name: "newPassword", label: "New password", type: "password", autocomplete: "new-password", hint: PASSWORD_HINT, violations: violations?.newPassword })}
${hasFactor && secondFactorField("code-password", violations?.code)}
<div class="actions">${button("Change password")}<a href="${visit.at("/account/second-factor")}">Second factor</a></div>`,
)}</section>`
}

async function accountPage(
  parts: PageParts,
  visit: SignedIn,
  { form: of, values = {}, violations, feeds = {} }: Typed = {},
): Promise<Reply> {
  const publicUrl = parts.publicUrl()
  const { user } = visit.session
  const hasFactor = (await secondFactorOf(parts.database, user.id)) !== undefined
  const at = (name: Typed["form"]) => (of === name ? violations : undefined)
  const body = html`${violations ? violationsAbove(violations) : noticeOf(visit, NOTICES)}
<section class="card" aria-labelledby="you"><h2 id="you">You</h2>
${form(
  visit,
  "/account/name",
  html`${field({ name: "name", label: "Name", value: values.name ?? user.name, autocomplete: "name", hint: "Shown to people you share lists with.", violations: at("name")?.name })}
${button("Save name")}`,
)}</section>
<section class="card" aria-labelledby="picture-of-you"><h2 id="picture-of-you">Picture</h2>
<div class="side"><img class="portrait" src="${pictureOf(visit, publicUrl)}" alt="Your current picture" width="72" height="72"><div>
${form(
  visit,
  "/account/picture",
  html`${field({ name: "picture", label: "New picture", type: "file", hint: "PNG, JPEG, WebP or GIF, at most 1 MB. A square picture works best.", violations: at("picture")?.picture })}
${button("Save picture")}`,
  { isMultipart: true },
)}
${user.avatarUrl !== null && form(visit, "/account/picture/remove", html`<p></p>${button("Remove picture", "plain")}`)}
</div></div></section>
<section class="card" aria-labelledby="address"><h2 id="address">Email address</h2>
<p class="quiet">Your address is <strong><bdi>${user.email}</bdi></strong>. You sign in with it, and invitations are sent to it.</p>
${
  (parts.passwordSignIn || user.hasPassword) &&
  form(
    visit,
    "/account/email",
    html`${field({ name: "email", label: "New address", type: "email", value: values.email, autocomplete: "email", hint: "We'll send you a link. Nothing changes until you open it.", violations: at("email")?.email })}
${field({ name: "password", label: "Current password", type: "password", autocomplete: "current-password", violations: at("email")?.password })}
${hasFactor && secondFactorField("code-email", at("email")?.code)}
${button("Change address")}`,
  )
}</section>
${parts.passwordSignIn && passwordSection(visit, hasFactor, at("password"))}
${await timeZoneSection(parts, visit)}
${await calendarFeedsSection(parts, visit, feeds)}
<section class="card" aria-labelledby="data"><h2 id="data">Your data</h2>
<p><a href="${visit.at("/account/data")}">Export, import, or delete your account</a></p></section>`
  return show({ title: "Account", body, isWide: true }, violations || feeds.fault ? 422 : 200)
}

/** A user's name, picture, email address and password. */
export function accountPages(parts: PageParts) {
  const { database, publicUrl } = parts

  /** Does what a form requests; shows it again when the input is invalid. */
  async function unlessWrong(visit: SignedIn, typed: Typed, work: () => Promise<Reply>): Promise<Reply> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error
      return accountPage(parts, visit, { ...typed, violations: error.violations })
    }
  }

  return [
    closedPage({ path: "/account", get: (visit) => accountPage(parts, visit) }),
    ...timeZoneForms(parts),
    ...calendarFeedForms(parts, (visit, feeds) => accountPage(parts, visit, { feeds })),
    closedPage({
      path: "/account/name",
      post(visit, sent) {
        const { values, violations } = readFields(sent, { name: Name })
        return unlessWrong(visit, { form: "name", values }, async () => {
          if (violations) throw new InvalidFields(violations)
          await setName(database, visit.session.user.id, values.name, visit.requestId)
          return goTo(visit.at("/account?done=name"))
        })
      },
    }),
    closedPage({
      path: "/account/picture",
      fileFormLimitBytes: PICTURE_LIMIT_BYTES + 10_000,
      post(visit, _sent, file) {
        return unlessWrong(visit, { form: "picture" }, async () => {
          if (file === undefined || file.size === 0) throw new InvalidFields({ picture: ["is required"] })
          if (file.size > PICTURE_LIMIT_BYTES) throw new TooLarge(PICTURE_LIMIT_BYTES)
          const bytes = Buffer.from(await file.arrayBuffer())
          await setPicture(database, visit.session.user.id, bytes, publicUrl(), visit.requestId)
          return goTo(visit.at("/account?done=picture"))
        })
      },
    }),
    closedPage({
      path: "/account/picture/remove",
      async post(visit) {
        await removePicture(database, visit.session.user.id, visit.requestId)
        return goTo(visit.at("/account?done=picture"))
      },
    }),
    closedPage({
      path: "/account/password",
      post(visit, sent) {
        const passwords = {
          ...proofIn(sent, parts.now(), "oldPassword"),
          newPassword: sent.get("newPassword") ?? "",
        }
        return unlessWrong(visit, { form: "password" }, async () => {
          const { user, id: session } = visit.session
          const outcome = await changePassword(parts, user, passwords, { session, network: visit.network })
          if (outcome === "mailed") return lookIntoMail(parts, user.email, "with a link to choose a password.")
          return goTo(visit.at("/account?done=password"))
        })
      },
    }),
    closedPage({
      path: "/account/email",
      async get(visit) {
        const { token } = visit.request.query
        if (typeof token !== "string") return goTo(visit.at("/account"))
        const body = html`<div class="card"><p>You opened the link that we sent to your new address.</p>
${form(visit, `/account/email/finish?token=${encodeURIComponent(token)}`, button("Use this address"))}</div>`
        return show({ title: "Confirm your new address", body })
      },
      post(visit, sent) {
        const { values, violations } = readFields(sent, { email: Email })
        return unlessWrong(visit, { form: "email", values }, async () => {
          if (violations) throw new InvalidFields(violations)
          const wanted = { ...proofIn(sent, parts.now()), email: values.email }
          await askForNewEmail(parts, visit.session.user, wanted, visit.network)
          return lookIntoMail(parts, values.email, "with a link. Open it in this browser to start using the address.")
        })
      },
    }),
    closedPage({
      path: "/account/email/finish",
      async post(visit) {
        try {
          await finishNewEmail(parts, visit.session.user.id, String(visit.request.query.token), visit.requestId)
          return goTo(visit.at("/account?done=email"))
        } catch (error) {
          if (error instanceof NotFound || error instanceof InvalidFields) return linkIsOver(visit, "/account")
          throw error
        }
      },
    }),
  ]
}

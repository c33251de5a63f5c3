import { contextOfUser } from "../../accounts/context-of-user.js"
import { InvalidFields, NotFound, RevisionConflict } from "../../errors.js"
import { createSetting, updateSetting } from "../../resources/setting/setting.commands.js"
import { button, form } from "./form.js"
import { type Html, html } from "./html.js"
import { closedPage, goTo } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"

/** The setting that says where a user's days begin. */
const KEY = "time_zone"
const ZONES: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")]

const stored = ({ database }: PageParts, { session }: SignedIn) =>
  database.prisma.setting.findUnique({ where: { userId_key: { userId: BigInt(session.user.id), key: KEY } } })

/** The part of the account page about the time zone. */
export async function timeZoneSection(parts: PageParts, visit: SignedIn): Promise<Html> {
  const { value = "UTC" } = (await stored(parts, visit)) ?? {}
  // A client may have stored a name that this machine does not list.
  const zones = ZONES.includes(value) ? ZONES : [value, ...ZONES]
  return html`<section class="card" aria-labelledby="zone"><h2 id="zone">Time zone</h2>
<p class="quiet">Tasks become due at midnight there.</p>
${form(
  visit,
  "/account/time-zone",
  html`<div class="field"><label for="timeZone">Time zone</label>
<select id="timeZone" name="timeZone">${zones.map((zone) => html`<option${zone === value && html` selected`}>${zone}</option>`)}</select></div>
${button("Save time zone")}`,
)}</section>`
}

/** Keeps a zone. Of two at once the second is judged by what the first has left. */
async function keepZone(parts: PageParts, visit: SignedIn, value: string, tries = 3): Promise<void> {
  const act = { userId: visit.session.user.id, requestId: visit.requestId }
  const context = contextOfUser(parts.database, act, { now: parts.now })
  const setting = await stored(parts, visit)
  try {
    if (setting === null) await createSetting(context, { key: KEY, value })
    else await updateSetting(context, String(setting.id), { revision: Number(setting.revision), value })
  } catch (error) {
    const isOvertaken = [InvalidFields, RevisionConflict, NotFound].some((kind) => error instanceof kind)
    if (!isOvertaken || tries === 1) throw error
    await keepZone(parts, visit, value, tries - 1)
  }
}

/** What its form does. A name that is none changes nothing: the form offers only those that are. */
export const timeZoneForms = (parts: PageParts) => [
  closedPage({
    path: "/account/time-zone",
    async post(visit, sent) {
      const value = sent.get("timeZone") ?? ""
      if (!ZONES.includes(value)) return goTo(visit.at("/account"))
      await keepZone(parts, visit, value)
      return goTo(visit.at("/account?done=zone"))
    },
  }),
]

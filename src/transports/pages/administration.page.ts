import { failingWebhooks, usersInNumbers } from "../../accounts/administration.statements.js"
import { type AdministrativeAct, latestActs } from "../../accounts/administrative-acts.js"
import { NotFound } from "../../errors.js"
import { idOf } from "../../scalars/scalars.js"
import { storedFigures } from "../../telemetry/stored-figures.js"
import { type Html, html } from "./html.js"
import { type ClosedPage, closedPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"
import { ago } from "./when.js"

const USERS_AT_ONCE = 50
const WEBHOOKS_SHOWN = 50
const ACTS_SHOWN = 50

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const

/** A number of bytes, as people write it. */
function inUnits(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const amount = bytes / 1_000 ** power
  return `${power === 0 ? amount : amount.toFixed(1)} ${UNITS[power]}`
}

const inWords = (name: string): string => name.replaceAll("_", " ")
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

const row = (name: Html | string, more: Html | string, aside?: Html | false): Html =>
  html`<li><div class="what"><p class="name">${name}</p><p class="quiet small">${more}</p></div>${aside}</li>`

const section = (id: string, title: string, rows: readonly Html[], none: string): Html =>
  html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p>${none}</p>`}</section>`

/** A page for administrators; for everybody else there is none. */
const administratorsPage = (path: string, get: (visit: SignedIn) => Promise<Reply>): ClosedPage =>
  closedPage({
    path,
    get(visit) {
      if (!visit.session.user.isAdministrator) throw new NotFound()
      return get(visit)
    },
  })

/** How the service is doing, for users whom `tandem user promote` made administrators. Nothing is changed here, and no content is shown. */
export function administrationPages({ database, now, lagMs }: PageParts): ClosedPage[] {
  const figureOf = ([name, value]: [string, string | number | null]): Html => {
    if (value === null) return row(inWords(name), "–")
    if (typeof value === "string") return row(inWords(name), ago(new Date(value).toISOString(), now()))
    return row(inWords(name), name.endsWith("_bytes") ? inUnits(value) : String(value))
  }
  const actOf = ({ occurredAt, actor, act, subject }: AdministrativeAct): Html =>
    row(html`${act}: <bdi>${subject}</bdi>`, html`<bdi>${actor}</bdi>, ${ago(occurredAt, now())}`)

  return [
    administratorsPage("/administration", async (visit) => {
      // What counts whole tables has connections of its own, so that nothing else waits for it.
      const [[figures], jobs, webhooks, acts] = await Promise.all([
        database.searching.run(storedFigures, []),
        database.prisma.maintenanceJob.findMany({ orderBy: { name: "asc" } }),
        database.run(failingWebhooks, [WEBHOOKS_SHOWN]),
        latestActs(database, ACTS_SHOWN),
      ])
      const ofJobs = jobs.map(({ name, dueAt, leasedUntil }) => {
        const isRunning = leasedUntil !== null && leasedUntil > now()
        const due = dueAt <= now() ? html`due since ${ago(dueAt.toISOString(), now())}` : "waiting for its turn"
        return row(name, isRunning ? "running" : due)
      })
      const ofWebhooks = webhooks.map(({ host, owner, failingSince, isDisabled }) =>
        row(
          html`<bdi>${host}</bdi>`,
          html`of <bdi>${owner}</bdi>, failing since ${ago(failingSince, now())}`,
          isDisabled && html`<span class="tag bad">disabled</span>`,
        ),
      )
      const behind = row("events behind", `${(lagMs() / 1_000).toFixed(1)} seconds, on the node that shows this page`)
      const ofFigures = [behind, ...Object.entries(figures ?? {}).map(figureOf)]
      const body = html`<p><a class="button" href="${visit.at("/administration/users")}">Users</a></p>
${section("figures", "Stored and waiting", ofFigures, "Nothing.")}
${section("failing", "Webhooks that fail", ofWebhooks, "None.")}
${section("jobs", "Jobs", ofJobs, "None yet.")}
${section("acts", "What operators have done", acts.map(actOf), "Nothing yet.")}`
      return show({ title: "Administration", body, isWide: true })
    }),
    administratorsPage("/administration/users", async (visit) => {
      const { after } = visit.request.query
      const users = await database.searching.run(usersInNumbers, [
        typeof after === "string" ? idOf(after) : "0",
        USERS_AT_ONCE,
      ])
      const rows = users.map((user) =>
        row(
          html`<bdi>${user.name}</bdi>${user.isAdministrator && html` <span class="tag">administrator</span>`}`,
          html`<bdi>${user.email}</bdi>, user ${user.id} since ${ago(user.createdAt, now())}: ${counted(user.lists, "list")}, ${counted(user.tasks, "task")}, ${inUnits(user.fileBytes)} of files`,
          user.isDisabled && html`<span class="tag bad">disabled</span>`,
        ),
      )
      const last = users.length === USERS_AT_ONCE ? users.at(-1)?.id : undefined
      const body = html`${section("users", "By the order in which they came", rows, "No more.")}
${last !== undefined && html`<p><a class="button" href="${visit.at(`/administration/users?after=${last}`)}">Next</a></p>`}
<p class="quiet">Users are managed by commands: <code>tandem user --help</code>.</p>`
      return show({ title: "Users", body, isWide: true })
    }),
  ]
}

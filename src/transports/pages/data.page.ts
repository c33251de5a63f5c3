import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { Response } from "express"
import { NotFound } from "../../errors.js"
import { EXPORT_FORMATS, type ExportFormat, exportAccount } from "../../exchange/export-account.js"
import { field, form } from "./form.js"
import { type Html, html } from "./html.js"
import { IMPORT_LIMIT_MIB, importData } from "./import-data.js"
import { closedPage, type Reply, show } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"

const FORMATS: Readonly<Record<ExportFormat, { readonly type: string; readonly what: string }>> = {
  json: { type: "application/json", what: "everything, as a backup that can be imported again" },
  csv: { type: "text/csv", what: "a row for each task, for spreadsheets" },
  ics: { type: "text/calendar", what: "iCalendar: a to-do for each task and subtask" },
}
/** A download from which nobody reads for so long is given up, with the state of the database that it holds. */
const STALLED_MS = 60_000

const exporting = new Set<string>()

/** Sends pieces as fast as they are taken. Rejects when the reader has left or stalls. */
async function pour(pieces: AsyncIterable<string>, response: Response): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) throw new NotFound()
    if (response.write(piece)) continue
    const stalled = new AbortController()
    const options = { signal: stalled.signal }
    const gone = sleep(STALLED_MS, undefined, { ...options, ref: false }).then(() => response.destroy())
    await Promise.race([once(response, "drain", options), once(response, "close", options), gone]).finally(() =>
      stalled.abort(),
    )
  }
}

/** The page of what somebody has, with what an import has done. */
function dataPage(visit: SignedIn, news: Html | undefined = undefined, status = 200): Reply {
  const body = html`${news}
<section class="card" aria-labelledby="export"><h2 id="export">Export</h2>
<p class="quiet">All lists that you are a member of, with their content, as they are at this moment. Files are described, their content is not included.</p>
<ul class="rows">${EXPORT_FORMATS.map(
    (format) =>
      html`<li><div class="what"><p class="name">${format.toUpperCase()}</p><p class="quiet small">${FORMATS[format].what}</p></div>
<a class="button" href="${visit.at(`/account/export/${format}`)}" download>Download<span class="unseen"> ${format.toUpperCase()}</span></a></li>`,
  )}</ul></section>
<section class="card" aria-labelledby="import"><h2 id="import">Import</h2>
<p class="quiet">A backup of this service or of Wunderlist, its Tasks.json, a project of Todoist (CSV), or lists of Microsoft To Do (JSON). Importing a file again creates nothing twice.</p>
${form(
  visit,
  "/account/import",
  html`${field({ name: "file", label: "File", type: "file", hint: `At most ${IMPORT_LIMIT_MIB} MiB. Larger files: ask the people who run this service.` })}
<p><label class="choice"><input type="checkbox" name="again" value="1"> Create again what was imported before and has been deleted since</label></p>
<div class="actions"><button class="main" name="do" value="check">Check what would be imported</button><button class="plain" name="do" value="import">Import</button></div>`,
  { isMultipart: true },
)}</section>
<section class="card" aria-labelledby="delete"><h2 id="delete">Delete</h2>
<p>Your account with all its lists. You see what goes before anything does.</p>
<p><a class="button plain" href="${visit.at("/account/delete")}">Delete my account…</a></p></section>`
  return show({ title: "Your data", body, isWide: true }, status)
}

/** Exporting and importing one's own data. */
export const dataPages = (parts: PageParts) => [
  closedPage({ path: "/account/data", get: (visit) => dataPage(visit) }),
  closedPage({
    path: "/account/export/:format",
    async get(visit) {
      const format = EXPORT_FORMATS.find((one) => one === visit.request.params.format)
      if (format === undefined) throw new NotFound()
      const { user } = visit.session
      const wait = html`<p class="notice bad" role="alert">An export of yours is under way. Wait for it to end.</p>`
      if (exporting.has(user.id)) return dataPage(visit, wait, 429)
      const name = `tandem-${parts.now().toISOString().slice(0, 10)}.${format}`
      return {
        headers: {
          "Content-Type": `${FORMATS[format].type}; charset=utf-8`,
          "Content-Disposition": `attachment; filename="${name}"`,
        },
        async write(response) {
          if (visit.request.method === "HEAD") return void response.end()
          exporting.add(user.id)
          const what = { user, format, host: new URL(parts.publicUrl()).hostname, now: parts.now() }
          try {
            await exportAccount(parts.database, what, (pieces) => pour(pieces, response))
          } finally {
            exporting.delete(user.id)
          }
          // The last of it comes when the next can begin.
          response.end()
        },
      }
    },
  }),
  closedPage({
    path: "/account/import",
    fileFormLimitBytes: IMPORT_LIMIT_MIB * 2 ** 20 + 10_000,
    async post(visit, sent, file) {
      const { news, status } = await importData(parts, visit, file, {
        isDryRun: sent.get("do") !== "import",
        isAgain: sent.get("again") === "1",
      })
      return dataPage(visit, news, status)
    },
  }),
]

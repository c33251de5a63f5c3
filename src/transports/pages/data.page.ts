import { NotFound, RateLimited } from "../../errors.js"
import { EXPORT_FORMATS, type ExportFormat } from "../../exchange/export-account.js"
import { exportFiles } from "./export-file.js"
import { field, form } from "./form.js"
import { type Html, html } from "./html.js"
import { IMPORT_LIMIT_MIB, importData } from "./import-data.js"
import { closedPage, type Reply } from "./page.js"
import type { PageParts } from "./router.js"
import type { SignedIn } from "./visit.js"

const FORMATS: Readonly<Record<ExportFormat, { readonly type: string; readonly what: string }>> = {
  json: { type: "application/json", what: "everything, as a backup that can be imported again" },
  csv: { type: "text/csv", what: "a row for each task, for spreadsheets" },
  ics: { type: "text/calendar", what: "iCalendar: a to-do for each task and subtask" },
}
/** The page of what somebody has, with what an import has done. */
function dataPage(visit: SignedIn, news?: Html, status = 200, headers = {}): Reply {
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
  return { content: { title: "Your data", body, isWide: true }, status, headers }
}

/** The page where something has to wait. Everything else that was thrown is thrown on. */
function waitPage(visit: SignedIn, error: unknown): Reply {
  if (!(error instanceof RateLimited)) throw error
  const news = html`<p class="notice bad" role="alert">${error.message}</p>`
  return dataPage(visit, news, 429, { "Retry-After": String(error.retryAfterSeconds) })
}

/**
 * Exporting and importing one's own data.
 * @param files only tests set them
 */
export const dataPages = (parts: PageParts, files = exportFiles()) => [
  closedPage({ path: "/account/data", get: (visit) => dataPage(visit) }),
  closedPage({
    path: "/account/export/:format",
    async get(visit) {
      const format = EXPORT_FORMATS.find((one) => one === visit.request.params.format)
      if (format === undefined) throw new NotFound()
      const headers = {
        "Content-Type": `${FORMATS[format].type}; charset=utf-8`,
        "Content-Disposition": `attachment; filename="tandem-${parts.now().toISOString().slice(0, 10)}.${format}"`,
      }
      if (visit.request.method === "HEAD") return { headers, write: async (response) => void response.end() }
      const what = { user: visit.session.user, format, host: new URL(parts.publicUrl()).hostname, now: parts.now() }
      try {
        const { bytes, send } = await files.write(parts.database, what, () => visit.response.destroyed)
        return {
          headers: { ...headers, "Content-Length": String(bytes) },
          // The last of it comes when the next can begin.
          write: async (response) => void response.end(await send(response)),
        }
      } catch (error) {
        return waitPage(visit, error)
      }
    },
  }),
  closedPage({
    path: "/account/import",
    fileFormLimitBytes: IMPORT_LIMIT_MIB * 2 ** 20 + 10_000,
    async post(visit, sent, file) {
      const how = { isDryRun: sent.get("do") !== "import", isAgain: sent.get("again") === "1" }
      try {
        const { news, status } = await importData(parts, visit, file, how)
        return dataPage(visit, news, status)
      } catch (error) {
        return waitPage(visit, error)
      }
    },
  }),
]

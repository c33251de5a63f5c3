import { basename, extname } from "node:path"
import { InvalidFields, Problem, TooLarge } from "../../errors.js"
import { type Imported, importLists } from "../../exchange/import-lists.js"
import { NoRoom } from "../../exchange/import-room.js"
import { type Format, parseImport } from "../../exchange/parse-import.js"
import { UnreadableFile } from "../../exchange/parsed-import.js"
import { type Html, html } from "./html.js"
import { inTurn } from "./import-turn.js"
import type { PageParts } from "./router.js"
import { mustBeSignedIn, type SignedIn } from "./visit.js"

/** The most that a file may have: some 50,000 tasks, which take 110 MB of memory. The command line takes more. */
export const IMPORT_LIMIT_MIB = 8
const REMARKS_SHOWN = 200

type How = { readonly isDryRun: boolean; readonly isAgain: boolean }

const bad = (text: string): Html => html`<p class="notice bad" role="alert">${text}</p>`

/** The words of the command line, for a page. */
const inWords = (reason: string): string =>
  reason
    .replace(/--again creates it again/, "tick the box to create it again")
    .replace(/; --list imports some lists only$/, "")

function report({ counts, remarks }: Imported, format: Format, { isDryRun }: How): Html {
  const rows = Object.entries(counts).map(
    ([what, { made, already }]) => html`<tr><th scope="row">${what}</th><td>${made}</td><td>${already}</td></tr>`,
  )
  const shown = remarks.slice(0, REMARKS_SHOWN)
  return html`<section class="card" aria-labelledby="report" role="status"><h2 id="report">${isDryRun ? "What would be imported" : "Imported"}</h2>
<p>From a ${format} file.${isDryRun && " Nothing was changed. To import it, choose the file again below."}</p>
<table><thead><tr><th scope="col">What</th><th scope="col">${isDryRun ? "To import" : "Imported"}</th><th scope="col">Already there</th></tr></thead><tbody>${rows}</tbody></table>
${shown.length > 0 && html`<h3>Not imported, or not as it is in the file</h3><ul>${shown.map(({ place, effect, reason }) => html`<li><bdi>${place}</bdi>: ${effect}, ${inWords(reason)}</li>`)}</ul>`}
${remarks.length > shown.length && html`<p>And ${remarks.length - shown.length} more.</p>`}</section>`
}

/**
 * Imports what a form sent, or says what that would do. Files that cannot be read, are too large, or go beyond a quota make
 * nothing. An import that is cut off goes on when the same file is sent again. One at a time on each node: what files hold is in
 * memory several times while they are read.
 * @throws TooLarge, SignedOut, RateLimited while the user has another one under way, or too many wait
 */
export async function importData(
  { database, now }: PageParts,
  visit: SignedIn,
  file: Blob | undefined,
  how: How,
): Promise<{ news: Html; status: number }> {
  if (file === undefined || file.size === 0) return { news: bad("Choose a file first."), status: 422 }
  if (file.size > IMPORT_LIMIT_MIB * 2 ** 20) throw new TooLarge(IMPORT_LIMIT_MIB * 2 ** 20)
  return inTurn(visit.session.user.id, () => importFile({ database, now }, visit, file, how))
}

async function importFile(
  { database, now }: Pick<PageParts, "database" | "now">,
  visit: SignedIn,
  file: Blob,
  how: How,
): Promise<{ news: Html; status: number }> {
  const { user } = visit.session
  // Others' imports went before, in whose time the session may have ended.
  await mustBeSignedIn(database, visit)
  try {
    const { name = "" } = file as File
    const reading = { importer: user, title: basename(name, extname(name)), now: now() }
    const parsed = parseImport(Buffer.from(await file.arrayBuffer()), undefined, reading)
    const requestId = visit.requestId
    const imported = await importLists(database, user.id, parsed, { ...how, requestId, onProgress() {} })
    return { news: report(imported, parsed.format, how), status: 200 }
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof NoRoom)
      return {
        news: bad(`${inWords(error.message)}. Nothing was imported.`.replace(/(\. Nothing was imported)+\.$/, "$1.")),
        status: 422,
      }
    if (error instanceof InvalidFields || !(error instanceof Problem)) throw error
    return { news: bad("The import was cut off. Send the same file again: it goes on where it stopped."), status: 503 }
  }
}

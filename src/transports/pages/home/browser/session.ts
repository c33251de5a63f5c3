import { createClient, indexedDbStore, memoryStore, type View } from "../../../../client/client.js"
import { cell } from "./cell.js"
import {
  clearLeftovers,
  forgetTexts,
  lastViewer,
  type News,
  noteViewer,
  storeOf,
  tabs,
  tellTabs,
  type Viewer,
} from "./leftovers.js"

/** What the server writes into the page. The shell that opens without a network has neither token nor viewer. */
type Data = {
  readonly base: string
  readonly token?: string
  readonly viewer?: Viewer
}

const dataIn = (page: Document): Data | undefined =>
  JSON.parse(page.getElementById("home-data")?.textContent ?? "null") ?? undefined

const data = dataIn(document) as Data

/** The path at which the service is mounted, without a slash at the end. */
export const base = data.base
/** Whose page it is; of the shell, who was signed in here last. */
export const viewer: Viewer | undefined = data.viewer ?? lastViewer()
if (data.viewer !== undefined) {
  noteViewer(data.viewer)
  tellTabs(base, { viewer: data.viewer })
  clearLeftovers(base, data.viewer).catch(() => {})
}
/** How the names begin under which a tab keeps what is written and not sent. */
export const UNSENT = `tandem-unsent${base}-${viewer?.id}-`
if (data.viewer !== undefined) forgetTexts(UNSENT)

/** Who is signed in, once that was not the page's viewer any more: it may be them again. */
export const ended = cell<News | undefined>(undefined)
const end = ({ viewer: next, deleted = ended.get()?.deleted }: News) => ended.set({ viewer: next, deleted })
tabs(base).onmessage = ({ data: told }: MessageEvent<News>) => {
  if (ended.get() !== undefined || told.viewer?.id !== viewer?.id) end(told)
}
let token = data.token
let renewing: Promise<string> | undefined

/** Asks with the session's cookie, which opens nothing else, for access for some hours more. */
async function renewed(): Promise<string> {
  const response = await fetch(`${base}/?renew=1`, { headers: { Accept: "text/html" } })
  if (response.status >= 500 || response.status === 429)
    throw new Error(`The page was answered with ${response.status}.`)
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  const next = dataIn(page)
  if (next?.token !== undefined && next.viewer?.id === viewer?.id) return next.token
  // What a proxy or a network says in the service's place tells nothing of the session.
  if (next === undefined && page.querySelector('script[src$="/signed-out.js"]') === null)
    throw new Error("The page was answered by something else.")
  // Signed out, or signed in as another user: nothing shown here belongs to them.
  end({ viewer: next?.viewer })
  throw new Error("Whose page it is has signed out.")
}

/** The headers that a request is signed in by; `isRefused` when those of before were not taken. */
export async function headers(isRefused: boolean): Promise<Record<string, string>> {
  if (isRefused || token === undefined) {
    renewing ??= renewed().finally(() => {
      renewing = undefined
    })
    token = await renewing
  }
  return { "X-Client-ID": "personal", "X-Access-Token": token }
}

const indexedDb = indexedDbStore(storeOf(base, viewer?.id ?? 0))
/** Whether the browser keeps what is done here. Private windows may not, and users may forbid it. */
export const isKept: boolean = await indexedDb.save([]).then(
  () => true,
  () => false,
)
const store = isKept ? indexedDb : memoryStore()

/** Works with the viewer's account, with or without a network. */
export const client = createClient({ url: location.origin + base, headers, store })

/** Leaves nothing of the viewer in this browser. */
export async function forget(): Promise<void> {
  await client.stop().catch(() => {})
  forgetTexts()
  noteViewer(undefined)
  await store.clear().catch(() => {})
}

/** The viewer's inbox; undefined before anything is known. */
export const inboxOf = (view: View): number | undefined =>
  view.lists().find(({ list_type }) => list_type === "inbox")?.id

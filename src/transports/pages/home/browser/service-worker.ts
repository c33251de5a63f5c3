// Keeps the shell of the home page, so that it opens without a network: no data, those are in the client's store.
export {}

/** Written in front of this script by the server. */
declare const SHELL: { readonly home: string; readonly page: string; readonly files: readonly string[] }

type Wait = { waitUntil(work: Promise<unknown>): void }
type Fetch = Wait & { readonly request: Request; respondWith(answer: Promise<Response>): void }
type Worker = {
  addEventListener(name: "install" | "activate", listener: (event: Wait) => void): void
  addEventListener(name: "fetch", listener: (event: Fetch) => void): void
  skipWaiting(): Promise<void>
  readonly clients: { claim(): Promise<void> }
}
const worker = globalThis as unknown as Worker

/** Another build has other files, and so another name. */
const NAME = `shell ${SHELL.files.join(" ")}`
const PATIENCE_MS = 4_000

worker.addEventListener("install", (event) => {
  const keep = async () => {
    const kept = await caches.open(NAME)
    await kept.addAll([SHELL.page, ...SHELL.files].map((path) => new Request(path, { credentials: "omit" })))
    await worker.skipWaiting()
  }
  event.waitUntil(keep())
})

worker.addEventListener("activate", (event) => {
  const clear = async () => {
    for (const name of await caches.keys()) if (name.startsWith("shell ") && name !== NAME) await caches.delete(name)
    await worker.clients.claim()
  }
  event.waitUntil(clear())
})

/** The page as the network has it; its shell when that does not come soon. */
async function page(request: Request): Promise<Response> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS))
  const asked = fetch(request)
  const answer = await Promise.race([asked, late]).catch(() => undefined)
  if (answer !== undefined && answer.status < 500) return answer
  return (await caches.match(SHELL.page)) ?? asked
}

worker.addEventListener("fetch", (event) => {
  const { request } = event
  const { pathname, origin } = new URL(request.url)
  if (request.method !== "GET" || origin !== location.origin) return
  if (request.mode === "navigate" && pathname === SHELL.home) event.respondWith(page(request))
  else if (SHELL.files.includes(pathname))
    event.respondWith(caches.match(request, { ignoreVary: true }).then((kept) => kept ?? fetch(request)))
})

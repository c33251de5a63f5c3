import type { Answer, Options } from "./api.js"

/** There is no answer now, and there may be one later. */
export class TryLater extends Error {
  /** Not before so many milliseconds, as the service asks. */
  afterMs = 0
  status: number | undefined
}

/** The service does not know the caller. */
export class SignedOut extends Error {}

/** `patienceMs`: it has failed when nothing comes for so long. */
type Request = { body?: unknown; headers?: Readonly<Record<string, string>>; signal?: AbortSignal; patienceMs?: number }
type Reply = { readonly status: number; readonly headers: Headers; readonly parts: AsyncIterable<Uint8Array> }

export type Http = ReturnType<typeof createHttp>
export type Ask = Http["ask"]

const PATIENCE_MS = 30_000
/** What is sent gets more time the longer it is: slow networks carry ten characters in a millisecond. */
const CHARACTERS_PER_MS = 10
const LATER: readonly number[] = [429, 500, 502, 503, 504]

/** Makes what asks the service. */
export function createHttp({ url, headers, credentials = "same-origin", fetch = globalThis.fetch }: Options) {
  async function once(method: string, path: string, request: Request, isRefused: boolean): Promise<Reply> {
    const { body, headers: more, signal, patienceMs = PATIENCE_MS } = request
    const text = body === undefined ? null : JSON.stringify(body)
    const given = {
      ...(text !== null && { "Content-Type": "application/json" }),
      ...(await headers(isRefused)),
      ...more,
    }
    const silent = new AbortController()
    const signals = [silent.signal, ...(signal ? [signal] : [])]
    /** @throws TryLater when it does not come in time */
    function within<Value>(ms: number, coming: Promise<Value>): Promise<Value> {
      const timer = setTimeout(() => silent.abort(new Error("The service does not answer.")), ms)
      return coming.catch(giveUp).finally(() => clearTimeout(timer))
    }
    const init = { method, credentials, headers: given, body: text, signal: AbortSignal.any(signals) }
    const response = await within(patienceMs + (text?.length ?? 0) / CHARACTERS_PER_MS, fetch(`${url}${path}`, init))
    async function* parts(): AsyncGenerator<Uint8Array> {
      const reader = response.body?.getReader()
      while (reader !== undefined) {
        const { value } = await within(patienceMs, reader.read())
        if (value === undefined) return
        yield value
      }
    }
    return { status: response.status, headers: response.headers, parts: parts() }
  }

  /** Asks at any path, with the answer as it comes in. @throws TryLater, SignedOut */
  async function open(method: string, path: string, request: Request = {}): Promise<Reply> {
    for (let isRefused = false; ; isRefused = true) {
      const reply = await once(method, path, request, isRefused)
      const { status, headers } = reply
      if (status !== 401 && !LATER.includes(status)) return reply
      await textOf(reply)
      const afterMs = Number(headers.get("Retry-After")) * 1_000 || 0
      if (status !== 401) throw Object.assign(new TryLater(`The service answered ${status}.`), { status, afterMs })
      if (isRefused) throw new SignedOut("The service does not take the credentials.")
    }
  }
  /** Asks at a path below `/api/v1`. @throws TryLater, SignedOut */
  async function ask(method: string, path: string, request?: Request): Promise<Answer> {
    const reply = await open(method, `/api/v1${path}`, request)
    const { status, headers } = reply
    return { status, headers, body: jsonOf(await textOf(reply), status) }
  }
  return { open, ask }
}

function giveUp(error: unknown): never {
  throw new TryLater(error instanceof Error ? error.message : String(error))
}

async function textOf({ parts }: Reply): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for await (const part of parts) text += decoder.decode(part, { stream: true })
  return text + decoder.decode()
}

/** What stands in between may answer with a page of its own: that is no answer of the service. */
function jsonOf(text: string, status: number): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text)
  } catch {
    throw new TryLater(`What answered ${status} is not the service.`)
  }
}

/** An answer that the service has given; one of its refusals too. */
export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }

/** There is no answer now, and there may be one later. */
export class TryLater extends Error {
  /** @param afterMs not before so many milliseconds, as the service asks */
  constructor(
    message: string,
    readonly afterMs = 0,
    readonly status?: number,
  ) {
    super(message)
  }
}

/** The service does not know the caller. */
export class SignedOut extends Error {}

/** Headers that name the user. `isRefused`: those that were given last have not been taken, and there may be newer ones. */
export type GiveHeaders = (
  isRefused: boolean,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>

type Request = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** It has failed when nothing comes for so long. */
  readonly patienceMs?: number
}
type Reply = { readonly status: number; readonly headers: Headers; readonly parts: AsyncIterable<Uint8Array> }

/** Asks the service at a path below `/api/v1`. @throws TryLater, SignedOut */
export type Ask = (method: string, path: string, request?: Request) => Promise<Answer>
/** The same at any path, with the answer as it comes in. */
export type Open = (method: string, path: string, request?: Request) => Promise<Reply>

type Parts = {
  readonly url: string
  readonly headers: GiveHeaders
  readonly credentials: "omit" | "same-origin" | "include"
  readonly fetch: typeof fetch
}

const PATIENCE_MS = 30_000
/** What is sent gets more time the longer it is: slow networks carry ten characters in a millisecond. */
const CHARACTERS_PER_MS = 10
const LATER: readonly number[] = [429, 500, 502, 503, 504]

const later = (error: unknown): TryLater => new TryLater(error instanceof Error ? error.message : String(error))

/** Makes what asks the service. */
export function createHttp({ url, headers, credentials, fetch }: Parts): { readonly ask: Ask; readonly open: Open } {
  async function once(method: string, path: string, request: Request, isRefused: boolean): Promise<Reply> {
    const { body, headers: more, signal, patienceMs = PATIENCE_MS } = request
    const text = body === undefined ? null : JSON.stringify(body)
    const given = await headers(isRefused)
    const silent = new AbortController()
    const wait = (ms: number) => setTimeout(() => silent.abort(new Error("The service does not answer.")), ms)
    let timer = wait(patienceMs + (text?.length ?? 0) / CHARACTERS_PER_MS)
    const response = await fetch(`${url}${path}`, {
      method,
      credentials,
      headers: { ...(text !== null && { "Content-Type": "application/json" }), ...given, ...more },
      body: text,
      signal: signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]),
    })
      .catch((error) => {
        throw later(error)
      })
      .finally(() => clearTimeout(timer))
    async function* parts(): AsyncGenerator<Uint8Array> {
      const reader = response.body?.getReader()
      try {
        for (let isOver = reader === undefined; !isOver; ) {
          clearTimeout(timer)
          timer = wait(patienceMs)
          const { done, value } = (await reader?.read()) ?? { done: true }
          isOver = done
          if (value !== undefined) yield value
        }
      } catch (error) {
        throw later(error)
      } finally {
        clearTimeout(timer)
      }
    }
    return { status: response.status, headers: response.headers, parts: parts() }
  }

  async function open(method: string, path: string, request: Request = {}): Promise<Reply> {
    let reply = await once(method, path, request, false)
    if (reply.status === 401) {
      await textOf(reply)
      reply = await once(method, path, request, true)
    }
    if (reply.status !== 401 && !LATER.includes(reply.status)) return reply
    await textOf(reply)
    if (reply.status === 401) throw new SignedOut("The service does not take the credentials.")
    throw new TryLater(`The service answered ${reply.status}.`, retryAfter(reply.headers), reply.status)
  }

  return {
    open,
    async ask(method, path, request) {
      const reply = await open(method, `/api/v1${path}`, request)
      const { status, headers } = reply
      return { status, headers, body: jsonOf(await textOf(reply), status) }
    },
  }
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

/** Milliseconds that `Retry-After` asks to wait, in seconds or until a date. */
function retryAfter(headers: Headers): number {
  const text = headers.get("Retry-After")
  if (text === null) return 0
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

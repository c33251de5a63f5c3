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

export type Request = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/** Asks the service at a path below `/api/v1`. @throws TryLater, SignedOut */
export type Ask = (method: string, path: string, request?: Request) => Promise<Answer>
/** The same at any path, with the answer as it comes in. */
export type Open = (method: string, path: string, request?: Request) => Promise<Response>

type Parts = {
  readonly url: string
  readonly headers: GiveHeaders
  readonly credentials: "omit" | "same-origin" | "include"
  readonly fetch: typeof fetch
}

const TIMEOUT_MS = 30_000
const LATER: readonly number[] = [429, 500, 502, 503, 504]

/** Makes what asks the service. */
export function createHttp({ url, headers, credentials, fetch }: Parts): { ask: Ask; open: Open } {
  async function once(method: string, path: string, request: Request, isRefused: boolean): Promise<Response> {
    const { body, headers: more, signal, timeoutMs = TIMEOUT_MS } = request
    const json = { ...(body !== undefined && { "Content-Type": "application/json" }) }
    const given = await headers(isRefused)
    const ended = AbortSignal.timeout(timeoutMs)
    try {
      return await fetch(`${url}${path}`, {
        method,
        credentials,
        headers: { ...json, ...given, ...more },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal === undefined ? ended : AbortSignal.any([signal, ended]),
      })
    } catch (error) {
      throw new TryLater(error instanceof Error ? error.message : String(error))
    }
  }

  async function open(method: string, path: string, request: Request = {}): Promise<Response> {
    let response = await once(method, path, request, false)
    if (response.status === 401) response = await once(method, path, request, true)
    if (response.status === 401) throw new SignedOut("The service does not take the credentials.")
    if (LATER.includes(response.status))
      throw new TryLater(`The service answered ${response.status}.`, retryAfter(response.headers), response.status)
    return response
  }

  return {
    open,
    async ask(method, path, request) {
      const response = await open(method, `/api/v1${path}`, request)
      let text: string
      try {
        text = await response.text()
      } catch (error) {
        throw new TryLater(error instanceof Error ? error.message : String(error))
      }
      return { status: response.status, headers: response.headers, body: jsonOf(text, response.status) }
    },
  }
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

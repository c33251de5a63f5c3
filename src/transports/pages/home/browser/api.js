// GraphQL over HTTP, as any client would speak it.

/** An answer that says no. */
export class Refused extends Error {
  /** @param {{ message: string, extensions?: { code?: string, fields?: Record<string, string[]> } }} error */
  constructor({ message, extensions = {} }) {
    super(message)
    this.code = extensions.code
    this.fields = extensions.fields ?? {}
  }
}

/** The service could not be reached. */
export class Unreached extends Error {}

const RETRY_AFTER_MS = [400, 1_600]

/**
 * @typedef {(query: string, variables?: Record<string, unknown>, requestId?: string) => Promise<any>} Ask
 *   with a `requestId` the request is named by it, and safe to repeat: it is sent again when no answer comes
 */

/**
 * @param {string} url
 * @param {{ current(): string, renew(): Promise<string> }} token
 * @returns {Ask}
 */
export function createAsk(url, token) {
  /** @type {(body: string, requestId: string | undefined) => Promise<Response>} */
  async function send(body, requestId) {
    /** @type {Record<string, string>} */
    const once = requestId === undefined ? {} : { "X-Client-Request-Id": requestId, "Idempotency-Key": requestId }
    for (let attempt = 0; ; attempt++) {
      const headers = {
        "X-Client-ID": "personal",
        "X-Access-Token": token.current(),
        "Content-Type": "application/json",
      }
      try {
        return await fetch(url, { method: "POST", credentials: "omit", headers: { ...headers, ...once }, body })
      } catch {
        const wait = requestId === undefined ? undefined : RETRY_AFTER_MS[attempt]
        if (wait === undefined) throw new Unreached("Tandem cannot be reached.")
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
  }

  return async function ask(query, variables, requestId) {
    const body = JSON.stringify({ query, variables })
    let response = await send(body, requestId)
    if (response.status === 401) {
      await token.renew()
      response = await send(body, requestId)
    }
    /** @type {any} */
    const answer = await response.json().catch(() => undefined)
    if (answer?.errors?.length > 0) throw new Refused(answer.errors[0])
    if (answer?.data == null) throw new Unreached(`Tandem answered ${response.status}.`)
    return answer.data
  }
}

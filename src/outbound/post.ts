import http, { type ClientRequest, type IncomingMessage } from "node:http"
import https from "node:https"
import type { Agents } from "./connect.js"

/** However much a receiver answers, no more is read. */
const MAX_ANSWER_BYTES = 64 * 1_024

/** What a receiver answered: its status line decides, the rest is of no interest. */
export type PostResponse = { readonly status: number; readonly retryAfter: string | undefined }

type Message = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Ends it, wherever it is: looking up a name, connecting, sending, waiting. */
  readonly signal: AbortSignal
}

/** The connection that was kept from an earlier request turned out to be closed: nothing was answered. */
class StaleConnection extends Error {}

/**
 * Posts once and follows no redirect. Resolves when the answer has ended, 64 KiB of it are read, or the signal aborts behind
 * its head; rejects when there is no head.
 */
export async function post({ kept, fresh }: Agents, message: Message): Promise<PostResponse> {
  try {
    return await postThrough(kept, message)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error
    return postThrough(fresh, message)
  }
}

function postThrough(agents: Agents["kept"], { url, headers, body, signal }: Message): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const [request, agent] = url.startsWith("https:") ? [https.request, agents.https] : [http.request, agents.http]
    const sent: ClientRequest = request(url, {
      method: "POST",
      agent,
      signal,
      headers: { ...headers, "Content-Length": Buffer.byteLength(body) },
    })
    let isAnswered = false
    // Behind the head it is the answer that ends.
    sent.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "")
      if (!isAnswered) reject(isStale ? new StaleConnection() : error)
    })
    sent.on("close", () => {
      if (!isAnswered) reject(new Error("the connection was closed without an answer"))
    })
    // Without a listener a switch of protocols would look like a connection that breaks.
    sent.on("upgrade", ({ statusCode }: IncomingMessage, socket) => {
      socket.destroy()
      resolve({ status: statusCode ?? 101, retryAfter: undefined })
    })
    sent.on("response", (answer) => {
      isAnswered = true
      const { statusCode = 0, headers } = answer
      const end = () => resolve({ status: statusCode, retryAfter: headers["retry-after"] })
      let bytes = 0
      answer.on("data", ({ length }: Buffer) => {
        bytes += length
        if (bytes > MAX_ANSWER_BYTES) answer.destroy()
      })
      answer.on("error", end)
      answer.on("close", end)
    })
    sent.end(body)
  })
}

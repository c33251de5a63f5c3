import { once } from "node:events"
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Webhook } from "standardwebhooks"
import { eventually, PATIENCE_MS } from "../live/listener.js"
import { faultOfDelivery } from "../support/openapi.js"

/** One request that arrived whole. */
export type Received = {
  readonly at: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: any
}

/** Answers one request; by default with 204. */
export type Answer = (response: ServerResponse, received: Received, request: IncomingMessage) => unknown

/** A server of somebody who is told of changes. */
export type Receiver = {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** How many connections there were, whatever was sent over them. */
  connections(): number
  /** The most requests that were there at the same time. */
  mostAtOnce(): number
  answer: Answer
  /** Resolves with what has arrived when that is enough. */
  until(isEnough: number | ((received: Received[]) => boolean), withinMs?: number): Promise<Received[]>
  /** Closes every connection that is open. */
  cut(): void
  /** Rejects when something came that the OpenAPI document does not say. */
  stop(): Promise<void>
}

const ACCEPT: Answer = (response) => response.writeHead(204).end()

export async function startReceiver(answer: Answer = ACCEPT): Promise<Receiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  let fault: string | undefined
  let connections = 0
  let atOnce = 0
  let mostAtOnce = 0
  const server = http.createServer(async (request, response) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    response.on("close", () => atOnce--)
    try {
      let text = ""
      for await (const chunk of request.setEncoding("utf8")) text += chunk
      const one = {
        at: performance.now(),
        path: request.url ?? "",
        headers: request.headers,
        text,
        body: JSON.parse(text),
      }
      fault ??= faultOfDelivery(one.headers, one.body)
      received.push(one)
      receiver.answer(response, one, request)
    } catch {
      response.destroy()
    }
  })
  server.on("connection", (socket) => {
    connections++
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    mostAtOnce: () => mostAtOnce,
    answer,
    async until(isEnough, withinMs = PATIENCE_MS) {
      const isSo = typeof isEnough === "number" ? () => received.length >= isEnough : () => isEnough(received)
      await eventually(isSo, withinMs, () => `${received.length} received: ${JSON.stringify(received).slice(0, 1_500)}`)
      return received
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async stop() {
      receiver.cut()
      await new Promise((resolve) => server.close(resolve))
      if (fault !== undefined) throw new Error(fault)
    },
  }
  return receiver
}

/** What the package that receivers use says of a request. @throws when the signature is not of this secret */
export const verified = ({ text, headers }: Received, secret: string): any =>
  new Webhook(secret).verify(text, headers as Record<string, string>)

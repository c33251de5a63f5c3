import type { Request, RequestHandler } from "express"
import { MethodNotAllowed, NotFound, Unauthorized } from "../../errors.js"
import { hashOf, isSecretOf } from "../../signing/secret.js"
import type { Exposition } from "../../telemetry/exposition.js"
import { isFromHere } from "./from-here.js"

/**
 * Answers `/metrics`: to clients that send the token, or without one to this machine alone. Other clients then find
 * nothing, and neither do requests through a proxy on this machine: they have its headers, or another host name.
 */
export function metricsEndpoint(exposition: Exposition, token: string | undefined): RequestHandler {
  return async (request, response) => {
    if (token === undefined && !isFromHere(request)) throw new NotFound()
    if (token !== undefined && !carries(request, token)) {
      response.setHeader("WWW-Authenticate", 'Bearer realm="metrics"')
      throw new Unauthorized("Send the token of METRICS_TOKEN: Authorization: Bearer <token>.")
    }
    if (request.method !== "GET" && request.method !== "HEAD") throw new MethodNotAllowed(["GET", "HEAD"])
    const { contentType, text } = await exposition.write()
    response.writeHead(200, {
      "Content-Type": contentType,
      "Content-Length": Buffer.byteLength(text),
      "Cache-Control": "no-store",
    })
    response.end(text)
  }
}

function carries({ headers }: Request, token: string): boolean {
  const [, sent] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? []
  return sent !== undefined && isSecretOf(sent, hashOf(token))
}

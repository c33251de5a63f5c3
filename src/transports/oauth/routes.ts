import type { IncomingMessage } from "node:http"
import OAuth2Server from "@node-oauth/oauth2-server"
import express, { type NextFunction, type Request, type Response, type Router } from "express"
import type { Transacted } from "../../context.js"
import { BadRequest, MethodNotAllowed, Problem, RateLimited } from "../../errors.js"
import { authenticateClient, credentialsOf } from "../../oauth/client.js"
import { RESOURCE_METADATA_PATH, RESOURCE_PATHS, resourceMetadata, serverMetadata } from "../../oauth/resource.js"
import { introspectToken, revokeToken } from "../../oauth/token-state.js"
import { networkOf } from "../../operations/network.js"
import type { Form } from "../../scalars/form.js"
import { SCOPES } from "../../scalars/scope.js"
import type { Id } from "../../statement.js"
import { isOfType, readForm } from "../http/form-body.js"
import { getOnly } from "../http/get-only.js"
import { readJson } from "../http/json-body.js"
import { exchange } from "./token-endpoint.js"

/** What the endpoints for applications need of the node. */
export type OAuthParts = {
  readonly database: Transacted
  /** Where clients reach the service, without a slash at the end. */
  publicUrl(): string
  /** Told of tokens that have just ended. */
  tokensEnded(ids: readonly Id[]): void
}

/** The endpoints that applications call: exchange, revocation (RFC 7009), introspection (RFC 7662), metadata (RFC 8414, RFC 9728). (§5) */
export function oauthRoutes({ database, publicUrl, tokensEnded }: OAuthParts): Router {
  const router = express.Router({ caseSensitive: true })
  const from = (request: Request) => networkOf(request.ip)

  postOnly(router, "/oauth/access_token", async (request, response) => {
    const arrivedAt = new Date()
    const form = await readParameters(request)
    const asked = { database, request, form, network: from(request), arrivedAt, publicUrl: publicUrl(), tokensEnded }
    sendJson(response, 200, await exchange(asked))
  })
  postOnly(router, "/oauth/revoke", async (request, response) => {
    const form = await readParameters(request)
    const client = await authenticateClient(database, credentialsOf(request, form), from(request))
    tokensEnded(await revokeToken(database, client, form))
    sendJson(response, 200, {})
  })
  postOnly(router, "/oauth/introspect", async (request, response) => {
    const form = await readParameters(request)
    const client = await authenticateClient(database, credentialsOf(request, form), from(request))
    sendJson(response, 200, await introspectToken(database, client, form))
  })
  router.get("/.well-known/oauth-authorization-server", (_request, response) => {
    response.json(serverMetadata(publicUrl(), SCOPES))
  })
  for (const path of RESOURCE_PATHS)
    router.get(`${RESOURCE_METADATA_PATH}${path}`, (_request, response) => {
      response.json(resourceMetadata(publicUrl(), path, SCOPES))
    })
  router.all(
    ["/.well-known/oauth-authorization-server", ...RESOURCE_PATHS.map((path) => RESOURCE_METADATA_PATH + path)],
    getOnly,
  )
  return router
}

type Handler = (request: Request, response: Response) => Promise<void>

function postOnly(router: Router, path: string, handle: Handler): void {
  router.post(path, async (request, response) => {
    try {
      await handle(request, response)
    } catch (error) {
      refuse(response, error)
    }
  })
  router.all(path, (_request: Request, _response: Response, next: NextFunction) =>
    next(new MethodNotAllowed(["POST", "OPTIONS"])),
  )
}

/** Reads a form, or the same as JSON, which the specification's clients send. @throws BadRequest */
async function readParameters(request: IncomingMessage): Promise<Form> {
  if (isOfType(request, "application/x-www-form-urlencoded")) return readForm(request, "resource")
  const body = (await readJson(request, undefined)) ?? {}
  if (typeof body !== "object" || Array.isArray(body)) throw new BadRequest("Send an object or a form.")
  const form = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (value === null) continue
    if (typeof value !== "string") throw new BadRequest(`${name} must be a string.`)
    if (value.includes("\0")) throw new BadRequest(`${name} must not contain the NUL character.`)
    form.set(name, value)
  }
  return form
}

function sendJson(response: Response, status: number, body: object, headers: Record<string, string> = {}): void {
  response
    .status(status)
    .set({ "Cache-Control": "no-store", Pragma: "no-cache", ...headers })
    .json(body)
}

/** An error in the form of RFC 6749, section 5.2. What is no fault of the request goes on to the node's own handler. */
function refuse(response: Response, error: unknown): void {
  const { status, name, headers } = refusalOf(error)
  sendJson(response, status, { error: name, error_description: (error as Error).message }, headers)
}

type Refused = { status: number; name: string; headers?: Record<string, string> }

function refusalOf(error: unknown): Refused {
  if (error instanceof RateLimited)
    return { status: 429, name: "rate_limited", headers: { "Retry-After": String(error.retryAfterSeconds) } }
  if (error instanceof Problem && error.kind.status < 500) return { status: error.kind.status, name: "invalid_request" }
  if (!(error instanceof OAuth2Server.OAuthError) || Number(error.code) >= 500) throw error
  const status = Number(error.code)
  return status === 401
    ? { status, name: error.name, headers: { "WWW-Authenticate": 'Basic realm="Tandem"' } }
    : { status, name: error.name }
}

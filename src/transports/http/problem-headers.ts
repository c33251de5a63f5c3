import type { IncomingMessage, ServerResponse } from "node:http"
import { InsufficientScope, MethodNotAllowed, type Problem, Unauthorized } from "../../errors.js"
import { bearerIn } from "../../oauth/bearer.js"
import { RESOURCE_METADATA_PATH } from "../../oauth/resource.js"

/** An answer of the application, which knows where clients reach it. */
type Mounted = { readonly app?: { readonly locals: { publicUrl?(): string } } }

/** Headers that go with an error beside those of every answer. */
export function problemHeaders(problem: Problem | undefined, response: ServerResponse): Record<string, string> {
  const headers: Record<string, string> = {}
  if (problem instanceof MethodNotAllowed) headers.Allow = problem.allow.join(", ")
  if (problem && "retryAfterSeconds" in problem) headers["Retry-After"] = String(problem.retryAfterSeconds)
  const challenge = challengeOf(problem, response.req)
  if (challenge !== undefined) {
    const publicUrl = (response as Mounted).app?.locals.publicUrl?.()
    const metadata = publicUrl === undefined ? [] : [`resource_metadata="${publicUrl}${RESOURCE_METADATA_PATH}"`]
    headers["WWW-Authenticate"] = `Bearer ${[...challenge, ...metadata].join(", ")}`.trim()
  }
  return headers
}

/** What RFC 6750, section 3, says of an error; nothing but the scheme where no token was sent. */
function challengeOf(problem: Problem | undefined, { headers }: IncomingMessage): string[] | undefined {
  if (problem instanceof InsufficientScope) return ['error="insufficient_scope"', `scope="${problem.scopes.join(" ")}"`]
  if (!(problem instanceof Unauthorized)) return undefined
  return bearerIn(headers.authorization) === undefined ? [] : ['error="invalid_token"']
}

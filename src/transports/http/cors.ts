import type { IncomingMessage, ServerResponse } from "node:http"

const REQUEST_HEADERS = [
  ...["Content-Type", "Accept", "Authorization", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Prefer"],
  "X-Request-Id",
  ...["x-amz-date", "Content-MD5", "Range", "If-Range"],
  ...["X-Client-ID", "X-Access-Token", "X-Client-Request-Id", "X-Client-Device-Id", "X-Client-Instance-Id"],
  ...[
    "x-client-platform",
    "x-client-product",
    "x-client-product-version",
    "x-client-system",
    "x-client-system-version",
  ],
  ...["x-client-product-git-hash", "traceparent", "tracestate", "apollo-require-preflight", "x-apollo-operation-name"],
].join(", ")

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": REQUEST_HEADERS,
  "Access-Control-Max-Age": "86400",
  "Content-Length": "0",
}

/**
 * Middleware: every answer, errors too, may be read by pages of any origin, and no preflight needs a token. Credentials are
 * never allowed, so a cookie opens nothing this way (§2).
 */
export function cors(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  response.setHeader("Access-Control-Allow-Origin", "*")
  response.setHeader(
    "Access-Control-Expose-Headers",
    "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Allow, ETag, Link, Location, Preference-Applied, WWW-Authenticate",
  )
  if (request.method === "OPTIONS") response.writeHead(204, PREFLIGHT).end()
  else next()
}

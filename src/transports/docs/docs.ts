import express, { type Request, type Response, type Router } from "express"
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from "graphql"
import { NotFound } from "../../errors.js"
import { type Cached, cache, FOR_EVER, sendCached } from "../http/cached.js"
import { getOnly } from "../http/get-only.js"
import { resourceRoutes } from "../rest/routes.js"
import type { OpenApi } from "./document.js"
import { errorPage, errorsPage, errorTypes } from "./error.pages.js"
import { assetPath, DOCS_STYLESHEET, frame, type Sheet } from "./frame.js"
import { graphqlPage } from "./graphql.page.js"
import { buildOpenApi } from "./openapi.js"
import { partPage, partsOf, REFERENCE_PATH, referencePage } from "./reference.page.js"
import { REFERENCE_SCRIPT } from "./reference-script.js"

/** What the documents need of the node. */
export type DocsParts = {
  /** With the names that `nameCounterparts` adds. */
  readonly schema: GraphQLSchema
  /** Whether clients may ask for the schema. */
  readonly introspection: boolean
  /** Where clients reach the service, without a slash at the end. */
  publicUrl(): string
}

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" }

// Scripts and styles come from here alone, and requests go here alone.
const PAGE = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
}

/**
 * The documents: the reference at `/docs`, its OpenAPI document, the table of GraphQL fields, a page for each error, and the
 * schema as a file, which is refused where introspection is. All of it is made when it is first asked for.
 */
export function docs({ schema, introspection, publicUrl }: DocsParts): Router {
  const router = express.Router({ caseSensitive: true })
  const at = (path: string) => new URL(publicUrl()).pathname.replace(/\/$/, "") + path
  let made: OpenApi | undefined
  const document = () => {
    made ??= buildOpenApi(schema, resourceRoutes, publicUrl())
    return made
  }
  const give = (path: string, cached: Cached, headers: Record<string, string>) =>
    router
      .get(path, (request: Request, response: Response) => sendCached(request, response, cached, headers))
      .all(path, getOnly)
  const page = (path: string, sheet: () => Sheet) =>
    give(
      path,
      cache(() => frame(at, path, sheet())),
      PAGE,
    )

  give(
    "/docs/openapi.json",
    cache(() => `${JSON.stringify(document(), null, 1).replaceAll("](/", `](${at("/")}`)}\n`),
    {
      ...JSON_TYPE,
      // Tools that run in pages of elsewhere read it.
      "Access-Control-Allow-Origin": "*",
    },
  )
  give(
    assetPath(DOCS_STYLESHEET, "css"),
    cache(() => DOCS_STYLESHEET),
    {
      "Content-Type": "text/css; charset=utf-8",
      ...FOR_EVER,
    },
  )
  give(
    assetPath(REFERENCE_SCRIPT, "js"),
    cache(() => REFERENCE_SCRIPT),
    {
      "Content-Type": "text/javascript; charset=utf-8",
      ...FOR_EVER,
    },
  )
  page("/docs", () => referencePage(document(), at))
  const parts = new Map<string, Cached>()
  router.get(`${REFERENCE_PATH}/:part`, (request, response, next) => {
    const { part } = request.params
    const tag = partsOf(document()).get(part)
    if (tag === undefined) return next()
    const cached = parts.get(part) ?? cache(() => frame(at, "/docs", partPage(document(), tag, at)))
    parts.set(part, cached)
    return sendCached(request, response, cached, PAGE)
  })
  page("/docs/graphql", () => graphqlPage(schema, document(), at))
  page("/docs/errors", () => errorsPage(at))
  const errors = new Map<string, Cached>()
  router.get("/docs/errors/:type", (request, response, next) => {
    const { type } = request.params
    let cached = errors.get(type)
    if (cached === undefined) {
      if (!errorTypes().includes(type)) return next()
      cached = cache(() => frame(at, "/docs/errors", errorPage(type, at)))
      errors.set(type, cached)
    }
    return sendCached(request, response, cached, PAGE)
  })
  const text = cache(() => `${printSchema(lexicographicSortSchema(schema))}\n`)
  router.get("/schema.graphql", (request, response) => {
    if (!introspection) throw new NotFound("This service does not publish its schema.")
    return sendCached(request, response, text, {
      "Content-Type": "application/graphql; charset=utf-8",
      "Content-Disposition": 'attachment; filename="schema.graphql"',
      "Access-Control-Allow-Origin": "*",
    })
  })
  for (const path of ["/docs/errors/:type", "/schema.graphql"]) router.all(path, getOnly)
  return router
}

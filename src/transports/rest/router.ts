import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Request, Response } from "express"
import type { Context, Viewer } from "../../context.js"
import { MethodNotAllowed, NotFound, type Problem, Unauthorized } from "../../errors.js"
import { NEWS_PACE_MS } from "../../events/carrier-limits.js"
import { repeatNameOf } from "../../operations/idempotency.js"
import type { Revised } from "../../operations/route.js"
import { nameRoute } from "../../telemetry/route-name.js"
import { hasTag } from "../http/if-none-match.js"
import { keepPlain, sendText } from "../http/packed.js"
import { problemHeaders } from "../http/problem-headers.js"
import { batchAnswerer } from "./batch.js"
import { Blamed } from "./batch-request.js"
import { errorBody } from "./error-body.js"
import { eventsAnswerer } from "./events.js"
import { queryOf } from "./parameters.js"
import { preferredWait } from "./prefer.js"
import { BASE, type Place, type RestParts } from "./rest-parts.js"
import { createRow, problemOf, type Row } from "./row.js"
import { rowFinder } from "./row-finder.js"
import { showStored } from "./stored.js"

const JSON_TYPE = "application/json; charset=utf-8"

/** Clients may cache responses, but must revalidate them each time. */
const PRIVATE_CACHE = { "Cache-Control": "private, no-cache", Vary: "X-Client-ID, X-Access-Token, Authorization" }

/** For what is another answer each time. */
const NO_STORE = { "Cache-Control": "private, no-store" }

/** Sends an answer as JSON; a 204 has no body. What is read may be packed. */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  if (response.headersSent) return
  if (response.req.method !== "GET") keepPlain(response)
  if (status === 204) response.writeHead(204, headers).end()
  else sendText(response, status, { "Content-Type": JSON_TYPE, ...headers }, body)
}

/** Sends an error in the contract's form (§7). `blamed`: of a batch, the request that is to blame. */
export const sendProblem = (response: ServerResponse, problem: Problem, blamed?: string): void =>
  send(response, problem.kind.status, errorBody(problem, blamed), problemHeaders(problem, response))

/** Makes the Express handler of `/api/v1` out of the rows: authenticates first, then finds the row. */
export function restRouter(parts: RestParts): (request: Request, response: Response) => Promise<void> {
  showStored(parts)
  const places = parts.routes.map((route) => {
    const row = createRow(parts, route)
    return { ...route, handler: { row, answer: handlerOf(parts, row), name: BASE + route.path } as Place }
  })
  const batch: Place = {
    row: undefined,
    name: `${BASE}/batch`,
    answer: async (request, response, viewer) => send(response, 200, await answerOfBatch(viewer, request, response)),
  }
  const rowAt = (path: string) =>
    places.find((place) => place.method === "GET" && place.path === path)?.handler.row as Row
  const events: Place = {
    row: undefined,
    name: `${BASE}/events`,
    answer: eventsAnswerer(parts, { changes: rowAt("/changes"), list: rowAt("/lists/:id") }),
  }
  const find = rowFinder([
    ...places,
    { method: "POST" as const, path: "/batch", handler: batch },
    { method: "GET" as const, path: "/events", handler: events },
  ])
  const answerOfBatch = batchAnswerer(parts, find)

  async function serve(request: Request, response: Response): Promise<void> {
    const known = parts.authenticate(request)
    const viewer = known instanceof Promise ? await known : known
    const counted = parts.rateLimit?.ofRequest("rest", viewer, request, response)
    if (counted !== undefined) await counted
    if (viewer === undefined) throw new Unauthorized()
    const { url, method } = request
    const end = url.indexOf("?")
    const found = find(method, end === -1 ? url : url.slice(0, end))
    if (found === undefined) throw new NotFound()
    if (found.handler === undefined) throw new MethodNotAllowed(found.allowed)
    nameRoute(response, found.handler.name)
    await found.handler.answer(request, response, viewer, found.id && decodeURIComponent(found.id))
  }

  return (request, response) =>
    serve(request, response).catch((error: unknown) => {
      if (error instanceof Blamed) return sendProblem(response, error.problem, error.request)
      sendProblem(response, problemOf(parts, error, parts.requestIdOf(response)))
    })
}

/** What answers a request for one row. */
function handlerOf(parts: RestParts, row: Row): Place["answer"] {
  const { method, options } = row.route
  const { transaction } = parts

  function revisionsIn(value: unknown): string | undefined {
    const { knownByRevisions: of } = options
    return of && parts.tags.ofRevisions(of === true ? (value as Revised[]) : of(value as never))
  }

  /** The viewer with what the token is good for by now. @throws Unauthorized, InsufficientScope */
  async function admitAgain(request: Request): Promise<Viewer> {
    const known = parts.authenticate(request)
    const viewer = known instanceof Promise ? await known : known
    if (viewer === undefined) throw new Unauthorized()
    row.admit(viewer)
    return viewer
  }

  /** The value, once it is one that the client would not rather wait for, or the time is over. */
  async function awaited(request: Request, context: Context, seconds: number, read: () => Promise<unknown>) {
    const isNothing = options.waitsWhile as (value: unknown) => boolean
    let value = await read()
    if (seconds === 0 || !isNothing(value)) return { value, isApplied: true }
    const wait = await parts.waits.open(context.viewer, seconds * 1_000, () => admitAgain(request))
    request.res?.once("close", wait.close)
    try {
      do {
        value = await read()
        if (isNothing(value) && wait.isHeld) await sleep(NEWS_PACE_MS)
      } while (isNothing(value) && (await wait.woken()))
      return { value, isApplied: wait.isHeld }
    } finally {
      wait.close()
    }
  }

  async function show(request: Request, response: Response, context: Context, variables: Record<string, unknown>) {
    const { dialect } = context.viewer
    const seconds = options.waitsWhile && preferredWait(request)
    const read = () => row.valueOf(context, variables, { name: undefined, transaction })
    const { value, isApplied } =
      seconds === undefined ? { value: await read(), isApplied: false } : await awaited(request, context, seconds, read)
    const turn = context.held.turn()
    if (turn !== undefined) await turn
    if (options.isNeverKept) {
      const text = row.textOf(dialect, value)
      context.held.answered(text.length)
      const applied: Record<string, string> = isApplied ? { "Preference-Applied": `wait=${seconds}` } : {}
      return send(response, row.statusOf(dialect), text, { ...NO_STORE, ...applied })
    }
    const known = revisionsIn(value)
    const text = known !== undefined && hasTag(request, known) ? "" : row.textOf(dialect, value)
    context.held.answered(text.length)
    const tag = known ?? parts.tags.ofText(text)
    const next = context.held.turn()
    if (next !== undefined) await next
    const headers = { ETag: tag, ...PRIVATE_CACHE, ...(options.isPage && linkOf(request, context, value as Page)) }
    if (hasTag(request, tag)) response.writeHead(304, headers).end()
    else send(response, row.statusOf(dialect), text, headers)
  }

  async function handle(request: Request, response: Response, viewer: Viewer, id: string | undefined): Promise<void> {
    const { dialect } = viewer
    row.admit(viewer)
    const body = method === "GET" ? undefined : await parts.readJson(request, viewer.userId)
    const variables = row.variablesOf(dialect, { id, query: queryOf(request), body })
    if (method === "GET") return show(request, response, parts.contextOf(viewer, request, response), variables)
    // Its token may have ended or lost a scope while the body came.
    const context = parts.contextOf(await admitAgain(request), request, response)
    const name = method === "POST" ? repeatNameOf(request) : undefined
    const text = row.textOf(dialect, await row.valueOf(context, variables, { name, transaction }))
    parts.onWrite()
    context.held.answered(text.length)
    send(response, row.statusOf(dialect), text)
  }

  return (request, response, viewer, id) =>
    handle(request, response, viewer, id).catch((error: unknown) => {
      throw row.problemOf(error, parts.requestIdOf(response))
    })
}

type Page = { readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string } }

/** Where the next page is, if there is one. */
function linkOf(request: Request, { publicUrl }: Context, { pageInfo }: Page): Record<string, string> {
  if (!pageInfo.hasNextPage || pageInfo.endCursor === undefined) return {}
  const query = new URLSearchParams([...queryOf(request)])
  query.set("after", pageInfo.endCursor)
  const [path] = request.url.split("?", 1)
  return { Link: `<${publicUrl}${BASE}${path}?${query}>; rel="next"` }
}

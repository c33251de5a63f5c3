import express, { type NextFunction, type Request, type RequestHandler, type Response, type Router } from "express"
import type { AccountParts } from "../../accounts/account.parts.js"
import type { Context, Dialect } from "../../context.js"
import { Forbidden, MethodNotAllowed, NotFound, Problem, ServerError } from "../../errors.js"
import type { Log } from "../../log.js"
import { UnsafeRequest } from "../../oauth/authorization-request.js"
import { fewAtOnce } from "../../operations/one-after-another.js"
import type { Form } from "../../scalars/form.js"
import { requestIdOf } from "../../telemetry/request-log.js"
import { isOfType, readForm, readMultipart } from "../http/form-body.js"
import { errorContent } from "./error.page.js"
import type { HomeParts } from "./home/first-look.js"
import { layout } from "./layout.js"
import { type ClosedPage, type Content, type OpenPage, openPage, type Reply } from "./page.js"
import { isOurForm, mustBeSignedIn, openVisit, type SignedIn, SignedOut, type Visit } from "./visit.js"

/** What the pages need of the node. */
export type PageParts = AccountParts & {
  readonly log: Log
  /** The dialect of applications that are made without naming one. */
  readonly defaultDialect: Dialect
  now(): Date
  readonly home: HomeParts
  /** How far behind the events this node is. */
  lagMs(): number
  /** What webhooks are made and changed with. */
  readonly webhooks: Pick<Context, "mayConnect" | "skippedWriters">
}

type AnyPage = OpenPage | ClosedPage

/** Every page and form, as Express serves them. */
export function pageRouter(parts: PageParts, pages: readonly AnyPage[]): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  for (const page of pages) {
    const { path, get, post } = page
    if (get) router.get(path, (request, response) => answerVisit(parts, page, request, response, shown))
    if (post) router.post(path, (request, response) => answerVisit(parts, page, request, response, taken))
    const allowed = [...(get ? ["GET", "HEAD"] : []), ...(post ? ["POST"] : [])]
    router.all(path, (_request: Request, _response: Response, next: NextFunction) =>
      next(new MethodNotAllowed(allowed)),
    )
  }
  return router
}

/** Says in words that nothing is at an address which somebody opened in a browser; programs are left to what comes behind. */
export function notFoundPage(parts: PageParts): RequestHandler {
  const nowhere = openPage({
    path: "*",
    get() {
      throw new NotFound()
    },
  })
  return (request, response, next) => {
    const isBrowser = request.method === "GET" && request.headers.accept?.includes("text/html")
    if (!isBrowser || request.path.startsWith("/api/")) return next()
    return answerVisit(parts, nowhere, request, response, shown)
  }
}

/** A request before it is known whose it is. */
function unknownVisit({ publicUrl }: PageParts, request: Request, response: Response): Visit {
  const { protocol, pathname } = new URL(publicUrl())
  // The path at which a proxy shows the service to the world, if it is not the root.
  const base = pathname.replace(/\/$/, "")
  return {
    request,
    response,
    session: undefined,
    cookie: "",
    csrf: "",
    network: "",
    requestId: requestIdOf(response),
    isSecure: request.secure || protocol === "https:",
    at: (path) => base + path,
  }
}

async function answerVisit(
  parts: PageParts,
  page: AnyPage,
  request: Request,
  response: Response,
  reply: (parts: PageParts, page: AnyPage, visit: Visit) => Promise<Reply>,
): Promise<void> {
  const requestId = requestIdOf(response)
  let visit = unknownVisit(parts, request, response)
  try {
    visit = await openVisit(parts.database, visit)
    await sendReply(visit, await reply(parts, page, visit))
  } catch (error) {
    // What is sent in pieces ends short, so that nobody takes it for whole.
    if (response.headersSent) return void response.destroy()
    // Nor is an error taken for the file that was to be sent.
    for (const name of ["Content-Disposition", "Content-Length"]) response.removeHeader(name)
    const isKnown = error instanceof Problem || error instanceof UnsafeRequest
    if (!isKnown) parts.log.error({ err: error, requestId }, "a page failed")
    const headers: Record<string, string> =
      isKnown && "retryAfterSeconds" in error ? { "Retry-After": String(error.retryAfterSeconds) } : {}
    await sendReply(visit, { ...errorContent(visit, isKnown ? error : new ServerError()), headers })
  }
}

const isSignedIn = (visit: Visit): visit is SignedIn => visit.session !== undefined

async function shown(_parts: PageParts, page: AnyPage, visit: Visit): Promise<Reply> {
  if (page.isOpen) return page.get!(visit)
  if (isSignedIn(visit)) return page.get!(visit)
  return { to: visit.at(`/sign-in?next=${encodeURIComponent(visit.request.url)}`), status: 302 }
}

/** So many forms of one user are being worked on at once, each of which may have a connection for as long as a row is locked. */
const FORMS = { atOnce: 2, most: 100 }

async function taken(parts: PageParts, page: AnyPage, visit: Visit): Promise<Reply> {
  // Before anything is read: large files are taken of users alone.
  if (!page.isOpen && !isSignedIn(visit)) throw new SignedOut()
  if (!isSignedIn(visit)) return takeForm(parts, page, visit)
  return fewAtOnce(parts.database, { key: visit.session.user.id, ...FORMS }, () => takeForm(parts, page, visit))
}

async function takeForm({ database }: PageParts, page: AnyPage, visit: Visit): Promise<Reply> {
  const { form, file } = await formOf(page, visit)
  // A form may have waited, and a file takes its time: the session may have ended meanwhile.
  if (!page.isOpen) await mustBeSignedIn(database, visit)
  if (!page.provesItself && !isOurForm(visit, form.get("csrf")))
    throw new Forbidden("This form belongs to another session. Go back, reload the page, and send it again.")
  return (page.post as NonNullable<OpenPage["post"]>)(visit, form, file)
}

async function formOf(
  { fileFormLimitBytes }: AnyPage,
  { request, session }: Visit,
): Promise<{ form: Form; file?: Blob }> {
  if (fileFormLimitBytes === undefined || !isOfType(request, "multipart/form-data"))
    return { form: await readForm(request) }
  const entries = [...(await readMultipart(request, fileFormLimitBytes, session?.user.id))]
  const file = entries.find(([, value]) => typeof value !== "string")?.[1] as Blob | undefined
  return { form: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")), file }
}

const policyOf = ({ formTarget, origins }: Pick<Content, "formTarget" | "origins">): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    `img-src ${["'self'", "https:", ...(origins ?? [])].join(" ")}`,
    ...(origins === undefined
      ? []
      : ["script-src 'self'", "manifest-src 'self'", `connect-src ${["'self'", ...origins].join(" ")}`]),
    // Browsers hold what a form leads to by redirects to this too.
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ")

async function sendReply(visit: Visit, reply: Reply): Promise<void> {
  const { response } = visit
  response.set({
    "Cache-Control": "no-store",
    "Content-Security-Policy": policyOf("content" in reply ? reply.content : {}),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
  })
  if ("write" in reply) {
    response.set(reply.headers)
    await reply.write(response)
  } else if ("to" in reply) {
    // By hand: Express would encode anew what must arrive as it is.
    response.status(reply.status ?? 303).setHeader("Location", reply.to)
    response.end()
  } else
    response
      .status(reply.status ?? 200)
      .set({ "Content-Type": "text/html; charset=utf-8", ...reply.headers })
      .end(layout(visit, reply.content))
}

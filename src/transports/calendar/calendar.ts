import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import express, { type Request, type Response, type Router } from "express"
import { MethodNotAllowed, NotFound } from "../../errors.js"
import { writeCalendar } from "../../exchange/write-calendar.js"
import type { RateLimit } from "../../operations/rate-limit.js"
import { openFeed } from "../../resources/calendar-feed/calendar-feed.statements.js"
import { hashOf } from "../../signing/secret.js"
import type { Runner } from "../../statement.js"
import { nameRoute } from "../../telemetry/route-name.js"
import { hasTag } from "../http/if-none-match.js"

const FEED = /^\/calendar\/([\w-]{40})\.ics$/

type CalendarParts = {
  readonly db: Runner
  /** Where clients reach the service, without a slash at the end. */
  publicUrl(): string
  /** Unset: no limit. */
  readonly rateLimit: Pick<RateLimit, "ofRequest"> | undefined
}

/** The address stays secret: it is not indexed, cached, or sent as a referrer. */
const PRIVATE = {
  "Cache-Control": "private, no-cache",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex, nofollow",
}

/**
 * Feeds for calendars: `GET /calendar/:secret.ics`, the tasks that are to be done as VTODOs; `?show=events` has those that are
 * due as all-day VEVENTs, for calendars that show no tasks. What has not changed is answered with 304 after one statement;
 * nothing is kept in memory between requests, so a feed that is revoked is gone with the next.
 */
export function calendar({ db, publicUrl, rateLimit }: CalendarParts): Router {
  const router = express.Router()

  async function answer(request: Request, response: Response): Promise<void> {
    nameRoute(response, "/calendar/:secret")
    if (request.method !== "GET" && request.method !== "HEAD") throw new MethodNotAllowed(["GET", "HEAD"])
    response.set(PRIVATE)
    const secret = FEED.exec(request.path)?.[1]
    const [feed] = secret === undefined ? [] : await db.run(openFeed, [hashOf(secret)])
    await rateLimit?.ofRequest("calendar", feed, request, response)
    if (feed === undefined) throw new NotFound()
    const as = request.query.show === "events" ? "events" : "tasks"
    const tag = `W/"${feed.state}-${as}"`
    response.set("ETag", tag)
    if (hasTag(request, tag)) return void response.status(304).end()
    response.set({
      "Content-Type": "text/calendar; charset=utf-8",
      "Content-Disposition": 'inline; filename="tasks.ics"',
    })
    if (request.method === "HEAD") return void response.end()
    const { userId, listId, name } = feed
    const host = new URL(publicUrl()).hostname
    const pieces = writeCalendar(db, userId, { name, host, listId, onlyOpen: true, as })
    // A reader who leaves before the end ends the reading of pages too.
    await pipeline(Readable.from(pieces), response).catch((error) => {
      if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error
    })
  }

  router.use((request, response, next) => (request.path.startsWith("/calendar/") ? answer(request, response) : next()))
  return router
}

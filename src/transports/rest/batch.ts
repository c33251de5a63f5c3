import type { Request, Response } from "express"
import type { Viewer } from "../../context.js"
import { Unauthorized } from "../../errors.js"
import { repeatNameOf } from "../../operations/idempotency.js"
import { allOrNothing } from "./batch-atomic.js"
import { eachByItself } from "./batch-each.js"
import { type Find, readBatch } from "./batch-request.js"
import type { Run } from "./batch-step.js"
import type { RestParts } from "./rest-parts.js"

/**
 * Makes what answers a batch: many requests for rows in one, each through the same row as if it had come by itself. Its text is
 * given when all of it has been run. (ours)
 */
export function batchAnswerer(parts: RestParts, find: Find) {
  return async (viewer: Viewer, request: Request, response: Response): Promise<string> => {
    const { isAtomic, requests } = readBatch(await parts.readJson(request, viewer.userId), viewer.dialect, find)
    // The batch itself was counted as one.
    if (requests.length > 1) await parts.rateLimit?.ofRequest("rest", viewer, request, response, requests.length - 1)
    const context = parts.contextOf(viewer, request, response)
    const run: Run = {
      parts,
      find,
      context,
      requestId: parts.requestIdOf(response),
      name: repeatNameOf(request),
      async checkToken() {
        const now = await parts.authenticate(request)
        if (now === undefined) throw new Unauthorized()
        return now
      },
    }
    const text = await (isAtomic ? allOrNothing(run, requests) : eachByItself(run, requests))
    context.held.answered(text.length)
    return text
  }
}

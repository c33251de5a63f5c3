import type { RequestHandler } from "express"
import { MethodNotAllowed } from "../../errors.js"

const READS = ["GET", "HEAD", "OPTIONS"]

/**
 * Refuses every method but those that read, at a path of which something else answers GET: mount it behind that with `all`
 * (§3). OPTIONS is left to what answers it everywhere, and GET to what comes behind where nothing has answered.
 * @throws MethodNotAllowed
 */
export const getOnly: RequestHandler = ({ method }, _response, next) => {
  if (!READS.includes(method)) throw new MethodNotAllowed(READS)
  next()
}

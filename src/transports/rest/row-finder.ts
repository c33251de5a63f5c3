import type { Method } from "../../operations/route.js"

/** A row and the handler that answers it. */
type Row<Handler> = { readonly method: Method; readonly path: string; readonly handler: Handler }

type Place<Handler> = { readonly byMethod: ReadonlyMap<string, Handler>; readonly allowed: readonly string[] }

/** What stands at a path; `handler` is undefined when nothing answers the method there. */
export type Found<Handler> = {
  readonly handler: Handler | undefined
  readonly allowed: readonly string[]
  /** The `:id` of the path as it was sent. */
  readonly id: string | undefined
}

/** PUT stands for PATCH, and what answers GET answers HEAD. */
const METHODS: Record<Method, readonly string[]> = {
  GET: ["GET", "HEAD"],
  POST: ["POST"],
  PATCH: ["PATCH", "PUT"],
  DELETE: ["DELETE"],
}

/**
 * Finds rows by method and path with two look-ups; a router would try their patterns one after the other, of which there are
 * seventy. A path has its `:id` in second place, if it has one, and may end with a slash.
 */
export function rowFinder<Handler>(
  rows: readonly Row<Handler>[],
): (method: string, path: string) => Found<Handler> | undefined {
  const places = new Map<string, Place<Handler>>()
  for (const path of new Set(rows.map((row) => row.path))) {
    if (path.includes(":") && !/^\/\w+\/:id(\/\w+)?$/.test(path)) throw new TypeError(`${path} has its :id elsewhere.`)
    const ofPath = rows.filter((row) => row.path === path)
    const byMethod = new Map(
      ofPath.flatMap(({ method, handler }) => METHODS[method].map((name) => [name, handler] as const)),
    )
    places.set(path, { byMethod, allowed: [...byMethod.keys(), "OPTIONS"] })
  }
  return (method, sent) => {
    const path = sent.length > 1 && sent.endsWith("/") ? sent.slice(0, -1) : sent
    let id: string | undefined
    // A path without a parameter first, or /lists/:id would take /lists/tasks_count.
    let place = places.get(path)
    if (place === undefined) {
      const start = path.indexOf("/", 1)
      if (start === -1 || start + 1 === path.length) return undefined
      const end = path.indexOf("/", start + 1)
      id = end === -1 ? path.slice(start + 1) : path.slice(start + 1, end)
      place = places.get(`${path.slice(0, start)}/:id${end === -1 ? "" : path.slice(end)}`)
    }
    return place && { handler: place.byMethod.get(method), allowed: place.allowed, id }
  }
}

import type { ServerResponse } from "node:http"

const ROUTE = Symbol("route")

type Named = ServerResponse & { [ROUTE]?: string }

/** Notes by which row an answer is given, as metrics and traces name it: its pattern, not the path that was asked. */
export function nameRoute(response: ServerResponse, route: string): void {
  ;(response as Named)[ROUTE] = route
}

/** The pattern of the row by which an answer is given; undefined where none was noted. */
export const routeOf = (response: ServerResponse): string | undefined => (response as Named)[ROUTE]

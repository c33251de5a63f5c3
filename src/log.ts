import { createRequire } from "node:module"
import { type DestinationStream, type Logger, pino } from "pino"
import type { PinoPretty } from "pino-pretty"

/** What writes log lines; pass it on, or `log.child({ … })` to say where the lines come from. */
export type Log = Logger

/** Where lines go: a stream; a terminal when it says so. */
export type LogStream = DestinationStream & { readonly isTTY?: boolean; readonly fd?: number }

/** One JSON object a line; readable lines instead when a person watches: on a terminal, outside of production.
 *  Lines still in memory are written when the process ends by itself or by `process.exit`. */
export function createLog(
  { level, isProduction }: { level: string; isProduction: boolean },
  stream: LogStream = process.stdout,
): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError },
  }
  if (stream.isTTY && !isProduction) {
    // Read from disk only here: a server in production starts 30 ms sooner without it.
    const { PinoPretty: readable } = createRequire(import.meta.url)("pino-pretty") as { PinoPretty: typeof PinoPretty }
    return pino(options, readable({ destination: stream, sync: true, colorize: true }))
  }
  // Written behind the request's back: a write per line would be a system call per request.
  return pino(options, stream.fd === undefined ? stream : pino.destination({ dest: stream.fd, sync: false }))
}

/**
 * What an error says. Node's own of a name with several addresses, none of which answers, says nothing itself: what there is to
 * say is said by those that it holds.
 */
export function messageOf(error: Error): string {
  if (error.message !== "") return error.message
  const held = error instanceof AggregateError ? error.errors.map((one) => messageOf(one as Error)) : []
  return [...new Set(held)].join("; ") || (error as NodeJS.ErrnoException).code || error.name
}

type ErrorDescription = { type: string; message: string; code?: string; stack?: string; cause?: ErrorDescription }

/** Only what helps to find the fault: an error may carry a document, a row or a request, and those hold secrets. */
function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) }
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === "string" && { code }),
    ...(error.stack && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 4 && { cause: describeError(error.cause, depth + 1) }),
  }
}

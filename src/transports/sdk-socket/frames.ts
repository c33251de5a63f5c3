import { parentsOf } from "../../events/event.parents.js"
import type { AccountEvent } from "../../events/event.type.js"

/** What a client asks for in one frame. (§9 SDK socket) */
export type Frame = {
  readonly type: "health" | "request"
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly verb: string
  readonly uri: string
  readonly body: string | undefined
}

/** The headers of a frame that are used; the credentials come with the handshake. */
export const PASSED_ON = /^(content-type|accept|idempotency-key|x-request-id|x-client-(?!id$).+)$/

const REQUEST_ID = "x-client-request-id"

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads a frame; undefined for what is none. */
export function readFrame(text: string): Frame | undefined {
  let sent: unknown
  try {
    sent = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(sent)) return undefined
  const { type, headers = {}, verb = "", uri = "", body } = sent
  if ((type !== "health" && type !== "request") || !isObject(headers)) return undefined
  if (typeof verb !== "string" || typeof uri !== "string") return undefined
  if (body != null && typeof body !== "string") return undefined
  const texts = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const named = Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), value]))
  return { type, headers: named, verb: verb.toUpperCase(), uri, body: body ?? undefined }
}

/** The answer to a frame; the client finds its request by the header. */
export function answerFrame({ type, headers }: Frame, status: number, body: string): string {
  const id = headers[REQUEST_ID]
  return JSON.stringify({ type, headers: id === undefined ? {} : { [REQUEST_ID]: id }, status, body })
}

const written = new WeakMap<AccountEvent, string>()

/** An event as clients of the socket are told of it: the same text for all, written once. */
export function mutationFrame(event: AccountEvent): string {
  const known = written.get(event)
  if (known !== undefined) return known
  const { subjectType, subjectId, revision } = event
  const frame = JSON.stringify({
    type: "mutation",
    version: 1,
    operation: event.operation.toLowerCase(),
    subject: { type: subjectType, id: Number(subjectId), revision, parents: parentsOf(event) },
    data: event.after ?? event.before,
  })
  written.set(event, frame)
  return frame
}

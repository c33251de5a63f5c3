import type { IncomingMessage, ServerResponse } from "node:http"
import type { Log } from "../log.js"
import { xml } from "./xml.js"

const STATUS = {
  AccessDenied: 403,
  BadDigest: 400,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  IncompleteBody: 400,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketName: 400,
  InvalidDigest: 400,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidURI: 400,
  KeyTooLongError: 400,
  MalformedXML: 400,
  MethodNotAllowed: 405,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NotImplemented: 501,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  XAmzContentSHA256Mismatch: 400,
} as const

/** An error in the words of S3: its code decides the status. */
export class S3Error extends Error {
  override readonly name = "S3Error"
  readonly status: number

  constructor(
    readonly code: keyof typeof STATUS,
    message: string,
  ) {
    super(message)
    this.status = STATUS[code]
  }

  /** An error by the name that another store gave it; one that is not known here is a bad request. */
  static of(code: string, message: string): S3Error {
    return new S3Error(Object.hasOwn(STATUS, code) ? (code as keyof typeof STATUS) : "InvalidRequest", message)
  }
}

/** So much of a body that is refused is still read, so that its sender gets to read why. */
const READ_AWAY_BYTES = 16 * 1024 ** 2

/** A connection that is closed while its client still sends is reset, and the answer with it. */
async function readAway(request: IncomingMessage): Promise<void> {
  let left = READ_AWAY_BYTES
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      left -= (piece as Buffer).length
      if (left < 0) return
    }
  } catch {
    // it left: nobody reads the answer
  }
}

/** Answers with an error in S3's form. What is no {@link S3Error} is a fault of ours, logged and not shown. */
export async function sendS3Error(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  log: Log,
): Promise<void> {
  const isKnown = error instanceof S3Error
  if (!isKnown && !response.destroyed) log.error({ err: error }, "a request to the object store failed")
  if (response.headersSent) return void response.destroy()
  await readAway(request)
  const { status, code, message } = isKnown
    ? error
    : { status: 500, code: "InternalError", message: "Something went wrong here." }
  const body = xml("Error", { Code: code, Message: message })
  response.writeHead(status, { "Content-Type": "application/xml", "Content-Length": Buffer.byteLength(body) })
  response.end(request.method === "HEAD" ? undefined : body)
}

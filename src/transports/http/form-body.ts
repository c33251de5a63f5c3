import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { BadRequest } from "../../errors.js"
import { type Form, parseForm } from "../../scalars/form.js"
import type { Id } from "../../statement.js"
import { readBytes, refuseEncoded } from "./json-body.js"

const FORM_LIMIT_BYTES = 65_536

/** Whether a request's body is of this media type, whatever its parameters. */
export const isOfType = ({ headers }: IncomingMessage, type: string): boolean =>
  (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() === type

/** Reads a form's body. `list` may be in it several times. @throws BadRequest, TooLarge */
export async function readForm(request: IncomingMessage, list?: string): Promise<Form> {
  if (!isOfType(request, "application/x-www-form-urlencoded"))
    throw new BadRequest("Send a form: Content-Type: application/x-www-form-urlencoded.")
  refuseEncoded(request)
  const bytes = await readBytes(request, FORM_LIMIT_BYTES)
  if (!isUtf8(bytes)) throw new BadRequest("The form is not valid UTF-8.")
  return parseForm(bytes.toString(), list)
}

/**
 * Reads a form that holds a file.
 * @param userId who answers for it, if anybody does
 * @throws BadRequest, TooLarge, RateLimited when its sender has too much on its way
 */
export async function readMultipart(
  request: IncomingMessage,
  limitBytes: number,
  userId: Id | undefined,
): Promise<FormData> {
  if (!isOfType(request, "multipart/form-data")) throw new BadRequest("Send a form: Content-Type: multipart/form-data.")
  const bytes = await readBytes(request, limitBytes, userId === undefined ? undefined : `user ${userId}`)
  try {
    return await new Response(bytes, {
      headers: { "Content-Type": String(request.headers["content-type"]) },
    }).formData()
  } catch {
    throw new BadRequest("The form cannot be read.")
  }
}

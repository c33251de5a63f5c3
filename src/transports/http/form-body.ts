import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import { BadRequest } from "../../errors.js"
import { readBytes } from "./json-body.js"

const FORM_LIMIT_BYTES = 65_536

/** What a form sent, each field once. */
export type Form = ReadonlyMap<string, string>

/**
 * Reads fields as forms and queries write them; `+` is a space.
 * @throws BadRequest, naming it, for one that is given twice or whose encoding is broken
 */
export function parseForm(text: string): Form {
  const form = new Map<string, string>()
  for (const pair of text.split("&")) {
    if (pair === "") continue
    const end = pair.indexOf("=")
    const name = decoded(end === -1 ? pair : pair.slice(0, end), "A parameter's name")
    if (form.has(name)) throw new BadRequest(`${name} is given more than once.`, { [name]: ["must be given once"] })
    const value = decoded(end === -1 ? "" : pair.slice(end + 1), name)
    if (value.includes("\0"))
      throw new BadRequest(`${name} holds the NUL character.`, { [name]: ["must not contain NUL"] })
    form.set(name, value)
  }
  return form
}

function decoded(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    throw new BadRequest(`${name} is not valid percent-encoded UTF-8.`)
  }
}

/** Whether a request's body is of this media type, whatever its parameters. */
export const isOfType = ({ headers }: IncomingMessage, type: string): boolean =>
  (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() === type

/** Reads a form's body. @throws BadRequest, TooLarge */
export async function readForm(request: IncomingMessage): Promise<Form> {
  if (!isOfType(request, "application/x-www-form-urlencoded"))
    throw new BadRequest("Send a form: Content-Type: application/x-www-form-urlencoded.")
  const bytes = await readBytes(request, FORM_LIMIT_BYTES)
  if (!isUtf8(bytes)) throw new BadRequest("The form is not valid UTF-8.")
  return parseForm(bytes.toString())
}

/** Reads a form that holds a file. @throws BadRequest, TooLarge */
export async function readMultipart(request: IncomingMessage, limitBytes: number): Promise<FormData> {
  if (!isOfType(request, "multipart/form-data")) throw new BadRequest("Send a form: Content-Type: multipart/form-data.")
  const bytes = await readBytes(request, limitBytes)
  try {
    return await new Response(bytes, {
      headers: { "Content-Type": String(request.headers["content-type"]) },
    }).formData()
  } catch {
    throw new BadRequest("The form cannot be read.")
  }
}

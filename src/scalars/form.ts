import { BadRequest } from "../errors.js"

/** What a form sent, each field once. */
export type Form = ReadonlyMap<string, string>

/**
 * Reads fields as forms and queries write them; `+` is a space.
 * @param list what may be given several times: its values come with spaces between them
 * @throws BadRequest, naming it, for one that is given twice or whose encoding is broken
 */
export function parseForm(text: string, list?: string): Form {
  const form = new Map<string, string>()
  for (const pair of text.split("&")) {
    if (pair === "") continue
    const end = pair.indexOf("=")
    const name = decoded(end === -1 ? pair : pair.slice(0, end), "A parameter's name")
    const before = name === list ? form.get(name) : undefined
    if (before === undefined && form.has(name))
      throw new BadRequest(`${name} is given more than once.`, { [name]: ["must be given once"] })
    const value = decoded(end === -1 ? "" : pair.slice(end + 1), name)
    if (value.includes("\0"))
      throw new BadRequest(`${name} contains the NUL character.`, { [name]: ["must not contain NUL"] })
    form.set(name, before === undefined ? value : `${before} ${value}`)
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

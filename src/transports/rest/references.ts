import { BadRequest } from "../../errors.js"
import type { Id } from "../../statement.js"

// What a request of a batch says of the answer to an earlier one: "$a.id" in its path, or where its body has an identifier or
// a revision. A title "$a.id" is a title.

/** What an answer is referred to by; a member that it has not is undefined. */
export type Referred = { readonly id?: Id | undefined; readonly revision?: number | undefined }

/** The answer to the request of that id. @throws Problem where it has none */
export type AnswerTo = (request: string) => Referred

const MEMBERS = /^(?:\w+_)?ids?$|^revision$|^values$/
const WHOLE = /^\$([\w-]{1,64})\.(id|revision)$/
const IN_PATH = /\$([\w-]{1,64})\.(id|revision)(?![\w-])/g

function memberOf(request: string, member: "id" | "revision", answerTo: AnswerTo): string | number {
  const value = answerTo(request)[member]
  if (value === undefined) throw new BadRequest(`The answer to ${request} has no ${member}.`)
  return value
}

/** A path with its references replaced. @throws BadRequest, what `answerTo` throws */
export const resolvePath = (path: string, answerTo: AnswerTo): string =>
  path.replace(IN_PATH, (_, request: string, member: "id" | "revision") => String(memberOf(request, member, answerTo)))

/** A body with its references replaced. @throws BadRequest, what `answerTo` throws */
export function resolveBody(value: unknown, answerTo: AnswerTo, member = ""): unknown {
  if (typeof value === "string") {
    const [, request, named] = MEMBERS.test(member) ? (WHOLE.exec(value) ?? []) : []
    return request === undefined ? value : Number(memberOf(request, named as "id" | "revision", answerTo))
  }
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item) => resolveBody(item, answerTo, member))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolveBody(one, answerTo, name)]))
}

/** Stands in for answers that are not there yet: no row has this identifier. */
export const UNKNOWN: Referred = { id: "0", revision: 0 }

/** The requests to whose answers something refers that `resolve` replaces. @throws what `resolve` throws */
export function referencesIn(resolve: (answerTo: AnswerTo) => unknown): string[] {
  const named = new Set<string>()
  resolve((request) => {
    named.add(request)
    return UNKNOWN
  })
  return [...named]
}

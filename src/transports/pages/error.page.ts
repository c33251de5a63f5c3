import { TooManyCodes } from "../../accounts/second-factor.commands.js"
import { NotFound, type Problem, RateLimited, Unavailable } from "../../errors.js"
import { UnsafeRequest } from "../../oauth/authorization-request.js"
import { html } from "./html.js"
import { show } from "./page.js"
import type { Visit } from "./visit.js"

/** How long to wait, in words. */
export const minutes = ({ retryAfterSeconds }: RateLimited): string => {
  const count = Math.ceil(retryAfterSeconds / 60)
  if (count > 120) return `${Math.ceil(count / 60)} hours`
  return count === 1 ? "a minute" : `${count} minutes`
}

/** What somebody does who has been wrong too often. */
export const wait = (error: RateLimited): string =>
  `Please wait ${minutes(error)}, then try again.${error instanceof TooManyCodes ? " A recovery code is taken at once." : ""}`

function wordsFor(error: Problem | UnsafeRequest): { status: number; title: string; text: string } {
  if (error instanceof UnsafeRequest) return { status: error.status, title: error.title, text: error.message }
  const { status } = error.kind
  if (error instanceof RateLimited) return { status, title: "Too many attempts", text: wait(error) }
  if (error instanceof NotFound)
    return { status, title: "Not found", text: "This page does not exist, or no longer exists." }
  if (error instanceof Unavailable)
    return { status, title: "Not available", text: "Tandem is currently not available. Please try again shortly." }
  if (status >= 500)
    return { status, title: "Something went wrong", text: "This is an error on our side. Please try again later." }
  return { status, title: status === 403 ? "Not allowed" : "That did not work", text: error.message }
}

/** Says what went wrong. */
export function errorContent(visit: Visit, error: Problem | UnsafeRequest) {
  const { status, title, text } = wordsFor(error)
  const body = html`<div class="card"><p>${text}</p>${status >= 500 && html`<p class="quiet small">Request ${visit.requestId}</p>`}</div>
<p><a href="${visit.at("/account")}">Go to your account</a></p>`
  return { ...show({ title, body }, status) } as { content: { title: string; body: typeof body }; status: number }
}

import { Forbidden, Problem, Unavailable } from "../errors.js"
import type { Log } from "../log.js"

type Fault = { readonly name?: string; readonly code?: string; readonly error?: string; readonly status?: number }

/** Codes of `openid-client` for a provider that did not answer as one. */
const IS_GONE = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_ABORT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  "OAUTH_PARSE_ERROR",
])
const IS_OF_CLOCK = "OAUTH_JWT_TIMESTAMP_CHECK"

/** Whether nothing was answered, or nothing that can be read. `fetch` says so by a TypeError without a code. */
const isGone = (error: unknown): boolean => {
  const { code, status = 0 } = error as Fault
  return (error instanceof TypeError && code === undefined) || IS_GONE.has(code ?? "") || status >= 500
}

const gone = (name: string) => new Unavailable(`${name} cannot be reached at the moment. Try again shortly.`)

/** The clocks are minutes apart, so that no token of the provider can be told from an old one. */
export const clocksDiffer = (name: string) =>
  new Forbidden(
    `The clocks of ${name} and of this service are more than 5 minutes apart, so nobody can sign in. Tell the operator of this service.`,
  )

/** What a person is told when the provider cannot be asked about itself. The cause is in the log. */
export function atDiscovery(error: unknown, name: string, log: Log): Problem {
  log.error({ err: error }, "the OpenID provider of OIDC_ISSUER cannot be used")
  return isGone(error)
    ? gone(name)
    : new Forbidden(
        `${name} is set up wrongly here: it names another issuer than OIDC_ISSUER. Tell the operator of this service.`,
      )
}

/** What a person is told whom the provider has sent back without signing them in. The cause is in the log. */
export function atSignIn(error: unknown, name: string, log: Log): Problem {
  if (error instanceof Problem) return error
  const { code, error: said } = error as Fault
  log.warn({ err: error }, "somebody could not be signed in by the OpenID provider")
  if (isGone(error)) return gone(name)
  if (code === IS_OF_CLOCK) return clocksDiffer(name)
  switch (said) {
    case "access_denied":
      return new Forbidden(`${name} did not sign you in: it refused, or you cancelled.`)
    case "invalid_grant":
      return new Forbidden("This sign-in has been used already, or is too old. Start again.")
    case "invalid_client":
    case "unauthorized_client":
      return new Forbidden(`${name} does not accept this service. Tell the operator of this service.`)
    case undefined:
      return new Forbidden(`The answer of ${name} does not belong to this sign-in. Start again.`)
    default:
      return new Forbidden(`${name} could not sign you in. Start again, or tell the operator of this service.`)
  }
}

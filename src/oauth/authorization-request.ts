import { parseForm } from "../scalars/form.js"
import type { Scope } from "../scalars/scope.js"
import type { Id, Runner } from "../statement.js"
import { askedScopes } from "./asked-scopes.js"
import { askerNamed } from "./consent.statements.js"
import { isOurs } from "./resource.js"

/** What an application asks of a user, checked. (§5) */
export type AuthorizationRequest = {
  readonly application: Asker
  readonly redirectUri: string
  /** As it stood in the address, still percent-encoded: what goes back is what came, byte by byte. */
  readonly state: string
  /** Of PKCE, by S256. */
  readonly codeChallenge: string | undefined
  /** What it asks for: at least one. */
  readonly scopes: readonly Scope[]
  /** Whether it wants to renew its access by itself. */
  readonly offline: boolean
  /** The service as it names itself: every answer says so, or one server could pass for another (RFC 9207). */
  readonly issuer: string
}

/** The application as its consent page shows it. */
export type Asker = {
  readonly id: Id
  readonly clientId: string
  readonly name: string
  readonly createdAt: string
  /** The most that it may ask for. */
  readonly scopes: readonly Scope[]
  /** It has no secret. */
  readonly isPublic: boolean
}

/** A request that must not lead back to where it came from: a page says why. */
export class UnsafeRequest extends Error {
  constructor(
    readonly status: 400 | 403,
    readonly title: string,
    message: string,
  ) {
    super(message)
  }
}

/** An invalid request, which the application is told of: the address to return to. */
export class InvalidRequest extends Error {
  constructor(readonly returnTo: string) {
    super("The application asked for what it cannot have.")
  }
}

const REQUIRED = ["client_id", "redirect_uri", "state"] as const

/**
 * Checks the query of an authorization address. The client and its redirect address are checked first; only then may an
 * error be reported there.
 * @throws UnsafeRequest, InvalidRequest
 */
export async function checkAuthorizationRequest(
  database: Runner,
  query: string,
  issuer: string,
): Promise<AuthorizationRequest> {
  const sent = parametersOf(query)
  const missing = REQUIRED.filter((name) => !sent.get(name))
  if (missing.length > 0) {
    const names = missing.join(", ")
    throw new UnsafeRequest(400, "This link is incomplete", `The application's link is missing: ${names}.`)
  }
  const redirectUri = sent.get("redirect_uri") as string
  const [found] = await database.run(askerNamed, [sent.get("client_id"), redirectUri])
  if (found === undefined)
    throw new UnsafeRequest(400, "Unknown application", "No application has the client_id in this link.")
  if (!found.isRegistered || !URL.canParse(redirectUri)) {
    const why =
      "The redirect_uri of this link is not one that the application has registered, so nothing was sent there."
    throw new UnsafeRequest(403, "This link does not lead back to the application", why)
  }
  const state = rawValueOf(query, "state")
  const { application } = found
  const asked = askedScopes(sent.get("scope"), application.scopes)
  const violation =
    violationOf(sent, application.isPublic) ??
    ("fault" in asked ? violationIn("invalid_scope", asked.fault) : undefined) ??
    foreignResource(sent.get("resource"), issuer)
  if (violation) throw new InvalidRequest(returnAddress({ redirectUri, issuer }, { ...violation, state }))
  const { scopes, offline } = asked as Exclude<typeof asked, { fault: string }>
  return { application, redirectUri, state, codeChallenge: sent.get("code_challenge"), scopes, offline, issuer }
}

function parametersOf(query: string): ReadonlyMap<string, string> {
  try {
    return parseForm(query, "resource")
  } catch (error) {
    throw new UnsafeRequest(400, "This link is invalid", (error as Error).message)
  }
}

type Violation = { error: string; error_description: string }
const violationIn = (error: string, text: string): Violation => ({ error, error_description: encodeURIComponent(text) })

/** What of a request is not as RFC 6749 and 7636 have it; without response_type it is as the specification has it. */
function violationOf(sent: ReadonlyMap<string, string>, isPublic: boolean): Violation | undefined {
  const responseType = sent.get("response_type")
  if (responseType !== undefined && responseType !== "code")
    return violationIn("unsupported_response_type", "response_type must be code.")
  const challenge = sent.get("code_challenge")
  const method = sent.get("code_challenge_method")
  if (challenge === undefined && isPublic)
    return violationIn("invalid_request", "code_challenge is missing: the application has no secret, and needs PKCE.")
  if (challenge === undefined)
    return method === undefined ? undefined : violationIn("invalid_request", "code_challenge is missing.")
  // Left out it would mean plain, which shows the verifier to everyone who sees the address.
  if (method !== "S256") return violationIn("invalid_request", "code_challenge_method must be S256.")
  if (!/^[\w-]{43}$/.test(challenge))
    return violationIn(
      "invalid_request",
      "code_challenge must be 43 characters of base64url: the SHA-256 of the verifier.",
    )
  return undefined
}

/** A parameter as it stands in the query. What may not stand in a header is percent-encoded and means the same. */
function rawValueOf(query: string, name: string): string {
  const pair = query.split("&").find((part) => decodeURIComponent(part.split("=", 1)[0] as string) === name) ?? ""
  return pair
    .slice(pair.indexOf("=") + 1)
    .replace(/[^!-~]|["#<>\\^`{|}]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, "0").toUpperCase()}`)
}

function foreignResource(resource: string | undefined, issuer: string): Violation | undefined {
  if (resource === undefined || isOurs(resource, issuer)) return undefined
  return violationIn("invalid_target", `resource must be ${issuer}, or left out.`)
}

/** Where to return to: the registered address with its own query, and parameters whose values are encoded already. */
export function returnAddress(
  { redirectUri, issuer }: Pick<AuthorizationRequest, "redirectUri" | "issuer">,
  parameters: Readonly<Record<string, string>> & { readonly state: string },
): string {
  const separator = !redirectUri.includes("?") ? "?" : /[?&]$/.test(redirectUri) ? "" : "&"
  // The state stays the last: some clients take what is behind it for the state.
  const { state, ...more } = parameters
  const all = { ...more, iss: encodeURIComponent(issuer), state }
  const query = Object.entries(all).map(([name, value]) => `${name}=${value}`)
  return `${redirectUri}${separator}${query.join("&")}`
}

import { Forbidden } from "../errors.js"
import { Email, Name } from "../scalars/scalars.js"
import { clocksDiffer } from "./identity-faults.js"

/** What a provider says of somebody, in the words of OpenID Connect. */
export type Claims = {
  readonly iss: string
  readonly sub: string
  /** When the token was made, in seconds. */
  readonly iat: number
  readonly email?: unknown
  readonly email_verified?: unknown
  readonly name?: unknown
  readonly preferred_username?: unknown
  readonly groups?: unknown
}

/** The claims of an ID token with those of the userinfo endpoint. The address and whether it is theirs come from the same of both. */
export function completed(claims: Claims, more: Partial<Claims>): Claims {
  const isWhole = claims.email !== undefined && claims.email_verified !== undefined
  const { email, email_verified } = isWhole || more.email === undefined ? claims : more
  return { ...claims, ...more, iss: claims.iss, iat: claims.iat, email, email_verified }
}

/** Somebody whom the provider has just signed in. */
export type ProvedIdentity = {
  readonly issuer: string
  readonly subject: string
  /** In lower case; undefined when the provider tells none that can be one. */
  readonly email: string | undefined
  /** Whether the provider says that the address is theirs. */
  readonly isVerified: boolean
  readonly name: string
  readonly idToken: string
}

type Rules = {
  readonly name: string
  readonly allowedGroups: readonly string[] | undefined
  readonly isClockOff: boolean
}

/** @throws Forbidden for somebody of none of the groups, and where the clocks differ */
export function identityFrom(claims: Claims, idToken: string, rules: Rules): ProvedIdentity {
  if (rules.isClockOff) throw clocksDiffer(rules.name)
  const { allowedGroups } = rules
  if (allowedGroups !== undefined && !groupsOf(claims).some((group) => allowedGroups.includes(String(group))))
    throw new Forbidden(
      `Your account at ${rules.name} is in none of the groups that may sign in here. Ask the operator of this service.`,
    )
  const email = emailOf(claims)
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    // Some write it as a text.
    isVerified: claims.email_verified === true || claims.email_verified === "true",
    name: nameOf(claims, email),
    idToken,
  }
}

const groupsOf = ({ groups }: Claims): unknown[] => (Array.isArray(groups) ? groups : [groups])

function emailOf({ email }: Claims): string | undefined {
  try {
    return Email.parseValue(String(email)) as string
  } catch {
    return undefined
  }
}

/** The first that can be a name here; people change it later. */
function nameOf(claims: Claims, email: string | undefined): string {
  for (const name of [claims.name, claims.preferred_username, email?.split("@")[0]])
    try {
      if (typeof name === "string") return Name.parseValue(name.trim().slice(0, 255)) as string
    } catch {}
  return "Somebody"
}

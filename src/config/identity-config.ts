import { z } from "zod"
import { choice, list } from "./values.js"

/** The OpenID provider with which people sign in. */
export type IdentityConfig = {
  /** As the provider writes it, with or without a slash at its end. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What people call it. */
  readonly name: string
  /** Of these groups somebody must be in one. Unset: everybody of the provider may sign in. */
  readonly allowedGroups: readonly string[] | undefined
}

const EXAMPLE = "https://login.example.org"
const NEEDED = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const
const MORE = ["OIDC_NAME", "OIDC_ALLOWED_GROUPS"] as const

const isHere = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

// Who can change on its way what the provider says can sign in as anybody.
const isSafe = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.username !== "" || /[?#]/.test(text)) return false
  return url.protocol === "https:" || (url.protocol === "http:" && isHere(url))
}

/** The variables of signing in by OpenID Connect. */
export const identityVariables = {
  OIDC_ISSUER: z
    .string()
    .refine(isSafe, {
      error: `must be an address that begins with https, such as ${EXAMPLE}, and has no query; http is for this machine alone`,
    })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(60, { error: "must have at most 60 characters, such as Example Login" }).optional(),
  OIDC_ALLOWED_GROUPS: z
    .string()
    .transform(list)
    .refine((groups) => groups.every((group) => group !== ""), {
      error: "must be names of groups with commas between them, such as staff,guests",
    })
    .optional(),
  PASSWORD_SIGN_IN: choice(["on", "off"]).default("on"),
}

/** What is wrong with these variables together: a part of a provider is of no use. */
export function violationsOfIdentity(env: Readonly<Record<string, string>>): string[] {
  const missing = NEEDED.filter((name) => env[name] === undefined)
  const isSome = [...NEEDED, ...MORE].some((name) => env[name] !== undefined)
  const violations = isSome
    ? missing.map((name) => `${name} is not set: it must be when one of ${[...NEEDED, ...MORE].join(", ")} is`)
    : []
  if (env.PASSWORD_SIGN_IN === "off" && missing.includes("OIDC_ISSUER"))
    violations.push(
      `PASSWORD_SIGN_IN is "off": then nobody could sign in. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET too`,
    )
  return violations
}

type Data = {
  [Name in (typeof NEEDED)[number] | "OIDC_NAME"]?: string | undefined
} & { OIDC_ALLOWED_GROUPS?: readonly string[] | undefined }

/** The provider, if there is one; call it when nothing is wrong. */
export function identityConfig(data: Data): IdentityConfig | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME, OIDC_ALLOWED_GROUPS } = data
  if (OIDC_ISSUER === undefined) return undefined
  return Object.freeze({
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID as string,
    clientSecret: OIDC_CLIENT_SECRET as string,
    name: OIDC_NAME ?? new URL(OIDC_ISSUER).host,
    allowedGroups: OIDC_ALLOWED_GROUPS && Object.freeze(OIDC_ALLOWED_GROUPS),
  })
}

import type * as OpenId from "openid-client"
import type { IdentityConfig } from "../config/identity-config.js"
import type { Log } from "../log.js"
import { boundedFetch } from "./bounded-fetch.js"
import { type Claims, completed, identityFrom, type ProvedIdentity } from "./identity-claims.js"
import { atDiscovery, atSignIn } from "./identity-faults.js"

const TIMEOUT_S = 5
/** Of metadata, keys, tokens and claims, each: far more than any provider has. */
const MAX_ANSWER_BYTES = 1024 ** 2
/** How long what the provider says of itself is taken as it is. Its keys are not part of it: tokens come from it by TLS. */
const KEPT_MS = 3_600_000
/** How far its clock may be off: somebody who signs in now gets a token of now. */
const MAX_CLOCK_DIFFERENCE_S = 300

/** What binds an answer of the provider to one request of one browser. */
export type RequestSecrets = { readonly state: string; readonly nonce: string; readonly codeVerifier: string }

/** The OpenID provider of OIDC_ISSUER. It is asked when somebody signs in or out there, and at no other time. */
export type IdentityProvider = {
  /** What people call it. */
  readonly name: string
  /** Where a browser is to go to sign in. @throws Unavailable */
  signInUrl(secrets: RequestSecrets): Promise<string>
  /** Who came back with `query`. @throws Forbidden, Unavailable */
  identityOf(query: URLSearchParams, secrets: RequestSecrets): Promise<ProvedIdentity>
  /** Where a browser is to go to sign out; undefined when the provider has no such page or is gone. */
  signOutUrl(session: { issuer: string; idToken: string }): Promise<string | undefined>
}

type Parts = { readonly log: Log; publicUrl(): string; now(): Date }

/** Where the provider leads people back to; it knows both by heart. */
const CALLBACK_PATH = "/sign-in/provider/callback"
const SIGNED_OUT_PATH = "/sign-out"

/** Connects to nothing yet: the service starts, and passwords are taken, while the provider is down. */
export function createIdentityProvider(config: IdentityConfig, { log, publicUrl, now }: Parts): IdentityProvider {
  const { issuer, clientId, clientSecret, name, allowedGroups } = config
  let known: { readonly server: Promise<OpenId.Configuration>; readonly until: number } | undefined

  async function discover(): Promise<OpenId.Configuration> {
    const { allowInsecureRequests, clockTolerance, customFetch, discovery } = await openId()
    const authentication = await clientAuthentication(clientSecret)
    const metadata = { client_secret: clientSecret, [clockTolerance]: MAX_CLOCK_DIFFERENCE_S }
    const options = {
      timeout: TIMEOUT_S,
      execute: issuer.startsWith("http:") ? [allowInsecureRequests] : [],
      [customFetch]: boundedFetch(MAX_ANSWER_BYTES) as OpenId.CustomFetch,
    }
    const server = await discovery(new URL(issuer), clientId, metadata, authentication, options)
    server.timeout = TIMEOUT_S
    // The library lets the hosts of Microsoft name any.
    const { issuer: its } = server.serverMetadata()
    if (withoutSlash(its) !== withoutSlash(issuer))
      throw new Error(`OIDC_ISSUER is ${issuer}, and the provider names ${its}`)
    return server
  }

  /** Asked by one for all who wait; one that could not be had is asked for again by the next. */
  async function current(): Promise<OpenId.Configuration> {
    if (known === undefined || known.until < now().getTime()) {
      const server = discover()
      known = { server, until: now().getTime() + KEPT_MS }
      server.catch(() => {
        if (known?.server === server) known = undefined
      })
    }
    try {
      return await known.server
    } catch (error) {
      throw atDiscovery(error, name, log)
    }
  }

  /** Some name groups only to clients that ask for them, and others refuse clients that do. */
  const scopeOf = (server: OpenId.Configuration): string => {
    const hasGroups = server.serverMetadata().scopes_supported?.includes("groups")
    return `openid email profile${allowedGroups !== undefined && hasGroups ? " groups" : ""}`
  }

  async function claimsOf(server: OpenId.Configuration, query: URLSearchParams, secrets: RequestSecrets) {
    const { authorizationCodeGrant, fetchUserInfo } = await openId()
    // Of our own name, and not of what the request says of itself.
    const address = new URL(`${publicUrl()}${CALLBACK_PATH}?${query}`)
    const tokens = await authorizationCodeGrant(server, address, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.codeVerifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims() as Claims
    const isShort = claims.email === undefined || claims.email_verified === undefined
    const lacksGroups = allowedGroups !== undefined && claims.groups === undefined
    const asks = (isShort || lacksGroups) && server.serverMetadata().userinfo_endpoint !== undefined
    const more = asks ? await fetchUserInfo(server, tokens.access_token, claims.sub) : {}
    return { claims: completed(claims, more), idToken: tokens.id_token as string }
  }

  return {
    name,
    async signInUrl({ state, nonce, codeVerifier }) {
      const server = await current()
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await openId()
      return buildAuthorizationUrl(server, {
        redirect_uri: `${publicUrl()}${CALLBACK_PATH}`,
        scope: scopeOf(server),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      }).href
    },
    async identityOf(query, secrets) {
      const server = await current()
      const { claims, idToken } = await claimsOf(server, query, secrets).catch((error: unknown) => {
        throw atSignIn(error, name, log)
      })
      const differenceS = Math.abs(now().getTime() / 1_000 - claims.iat)
      return identityFrom(claims, idToken, { name, allowedGroups, isClockOff: differenceS > MAX_CLOCK_DIFFERENCE_S })
    },
    async signOutUrl(session) {
      const server = await current().catch(() => undefined)
      const { end_session_endpoint: endpoint, issuer: its } = server?.serverMetadata() ?? {}
      if (server === undefined || endpoint === undefined || its !== session.issuer) return undefined
      const { buildEndSessionUrl } = await openId()
      const parameters = {
        id_token_hint: session.idToken,
        post_logout_redirect_uri: `${publicUrl()}${SIGNED_OUT_PATH}`,
      }
      return buildEndSessionUrl(server, parameters).href
    },
  }
}

const withoutSlash = (address: string): string => address.replace(/\/$/, "")

/** Sends the secret as the provider takes it: in a header, which is what OpenID Connect has clients do by default, or in the body. */
async function clientAuthentication(secret: string): Promise<OpenId.ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await openId()
  const [inHeader, inBody] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...request) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    return (taken.includes("client_secret_basic") ? inHeader : inBody)(server, ...request)
  }
}

/** Read from disk with the first sign-in: most nodes have no provider. */
const openId = () => import("openid-client")

import { createHmac } from "node:crypto"
import { Forbidden, NotFound, undefinedIfNotFound } from "../errors.js"
import { newSecret } from "../signing/secret.js"
import type { AccountParts } from "./account.parts.js"
import { countFailure, takeFailureBack } from "./attempts.js"
import { type Asked, keepIdentityRequest, takeIdentityRequest } from "./identity.rows.js"
import type { ProvedIdentity } from "./identity-claims.js"
import type { IdentityProvider, RequestSecrets } from "./identity-provider.js"

/** How many people of one network may be away at the provider and not come back, in 15 minutes. */
const REQUESTS_OF_NETWORK = 300

const counted = (network: string) => ["identity requests", network]

// Made of the cookie, which nobody else can read, so that neither needs to be kept.
const secretsOf = (browser: string, state: string): RequestSecrets => {
  const madeFor = (what: string) => createHmac("sha256", browser).update(`${what} ${state}`).digest("base64url")
  return { state, nonce: madeFor("nonce"), codeVerifier: madeFor("code verifier") }
}

/** The provider, where there is one. @throws NotFound */
export function providerOf({ identityProvider }: AccountParts): IdentityProvider {
  if (identityProvider === undefined) throw new NotFound()
  return identityProvider
}

/** The address at the provider that a browser is to go to. @param browser its cookie @throws Unavailable, Forbidden, RateLimited */
export async function goToProvider(
  parts: AccountParts,
  browser: string,
  network: string,
  asked: Asked,
): Promise<string> {
  const { database } = parts
  const state = newSecret()
  const address = await providerOf(parts).signInUrl(secretsOf(browser, state))
  await countFailure(database, counted(network), REQUESTS_OF_NETWORK)
  await keepIdentityRequest(database, state, browser, asked)
  return address
}

/** Who came back from the provider, where they were going, and by which invitation. @throws Forbidden, Unavailable */
export async function comeBack(
  parts: AccountParts,
  browser: string,
  network: string,
  query: URLSearchParams,
): Promise<{ identity: ProvedIdentity } & Asked> {
  const { database } = parts
  const state = query.get("state") ?? ""
  const asked = await takeIdentityRequest(database, state, browser).catch(undefinedIfNotFound)
  if (asked === undefined)
    throw new Forbidden(
      "This sign-in was begun in another browser, is used already, or is more than 15 minutes old. Start again.",
    )
  const identity = await providerOf(parts).identityOf(query, secretsOf(browser, state))
  await takeFailureBack(database, counted(network))
  return { identity, ...asked }
}

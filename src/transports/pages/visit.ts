import { createHmac, timingSafeEqual } from "node:crypto"
import type { Request, Response } from "express"
import { findSession, SESSION_SECONDS } from "../../accounts/session.js"
import type { Session } from "../../accounts/session.statements.js"
import { Forbidden } from "../../errors.js"
import { networkOf } from "../../operations/network.js"
import { newSecret } from "../../signing/secret.js"
import type { Runner } from "../../statement.js"

/** One request of a browser. */
export type Visit = {
  readonly request: Request
  readonly response: Response
  /** The session of the signed-in user, if any. */
  readonly session: Session | undefined
  /** The value of our cookie in this browser, with or without a session. */
  readonly cookie: string
  /** What each form holds: pages of other sites cannot know it. */
  readonly csrf: string
  /** Whom it comes from, as failures are counted. */
  readonly network: string
  readonly requestId: string
  /** Whether browsers reach the service by https. */
  readonly isSecure: boolean
  /** The address of a page of ours, below the path at which the service is mounted. */
  at(path: string): string
}

/** A visit of somebody who is signed in. */
export type SignedIn = Visit & { readonly session: Session }

const TOKEN = /^[\w-]{40}$/

// The prefix makes browsers refuse a cookie that another host of the same domain, or a page in the clear, has set.
const cookieName = ({ isSecure }: Visit): string => (isSecure ? "__Host-tandem" : "tandem")

function cookieOf(visit: Visit): string | undefined {
  const name = cookieName(visit)
  for (const pair of (visit.request.headers.cookie ?? "").split(";")) {
    const [key, value = ""] = pair.trim().split("=", 2)
    if (key === name) return TOKEN.test(value) ? value : undefined
  }
  return undefined
}

/** Puts a token into the browser; without a session it goes when the browser is closed. */
export function setCookie(visit: Visit, token: string, isSession: boolean): void {
  const parts = [`${cookieName(visit)}=${token}`, "Path=/", "HttpOnly", "SameSite=Lax"]
  if (visit.isSecure) parts.push("Secure")
  if (isSession) parts.push(`Max-Age=${SESSION_SECONDS}`)
  visit.response.append("Set-Cookie", parts.join("; "))
}

/** Notes for the script of the next page whose account was deleted in this browser: what is left of it goes. */
export function noteDeleted(visit: Visit, userId: string): void {
  const parts = [`${cookieName(visit)}-deleted=${userId}`, "Path=/", "SameSite=Lax", "Max-Age=60"]
  if (visit.isSecure) parts.push("Secure")
  visit.response.append("Set-Cookie", parts.join("; "))
}

/** Made of the cookie, which no other site can read, so that nothing needs to be kept. */
const csrfOf = (token: string): string => createHmac("sha256", token).update("csrf").digest("base64url")

/** Finds the session of a request. A browser without our cookie gets one without a session. */
export async function openVisit(database: Runner, visit: Visit): Promise<Visit> {
  const { request } = visit
  let token = cookieOf(visit)
  const session = token === undefined ? undefined : await findSession(database, token)
  if (token === undefined) {
    token = newSecret()
    setCookie(visit, token, false)
  }
  return { ...visit, session, cookie: token, csrf: csrfOf(token), network: networkOf(request.ip) }
}

/** The session has ended before something was done in it. */
export class SignedOut extends Forbidden {
  constructor() {
    super("You have been signed out. Nothing was changed.")
  }
}

/** Looks again, after something that took its time. @throws SignedOut */
export async function mustBeSignedIn(database: Runner, { cookie }: Visit): Promise<void> {
  if ((await findSession(database, cookie)) === undefined) throw new SignedOut()
}

/** Whether a form comes from a page of ours that this browser was sent in this session. */
export function isOurForm({ request, csrf }: Visit, sent: string | null | undefined): boolean {
  const site = request.headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  const [expected, given] = [Buffer.from(csrf), Buffer.from(sent ?? "")]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

/** A page of ours that somebody is to go on to; undefined for an address that leads elsewhere. */
export function ourPage(address: unknown): string | undefined {
  if (typeof address !== "string" || !/^\/(?![/\\])[!-~]*$/.test(address) || address.length > 8_000) return undefined
  return new URL(address, "http://here.invalid").origin === "http://here.invalid" ? address : undefined
}

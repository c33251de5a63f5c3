import { randomUUID } from "node:crypto"
import { hash } from "@node-rs/argon2"
import { startSession } from "../../src/accounts/session.js"
import type { Dialect, Transacted } from "../../src/context.js"
import { createApplication } from "../../src/oauth/application.js"
import { createUser } from "../../src/resources/user/user.commands.js"
import { createFormClient, type FormClient } from "./form-client.js"

type Where = { readonly url: string; readonly database: Transacted }

export const PASSWORD = "correct horse battery"
/** What is stored of it: made and checked at the least cost, which the stored text says itself. */
let stored: Promise<string> | undefined

/** A user with a password and a browser in which they are signed in. */
export type Member = {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly browser: FormClient
}

export async function makeMember({ url, database }: Where, name = "Ann"): Promise<Member> {
  stored ??= hash(PASSWORD, { memoryCost: 8, timeCost: 1, parallelism: 1 })
  const email = `${name.toLowerCase()}.${randomUUID()}@example.org`
  const { id } = await createUser(database, { name, email, passwordHash: await stored, verified: true })
  const browser = createFormClient(url)
  browser.cookies.set("tandem", await startSession(database, id, "Mozilla/5.0 (X11; Linux) Firefox/140.0"))
  return { id, name, email, browser }
}

export const REDIRECT_URI = "https://client.example/callback"

export type TestApplication = { readonly clientId: string; readonly clientSecret: string; readonly name: string }

export async function makeApplication(
  { database }: Where,
  { name = "Planner", redirectUris = [REDIRECT_URI], dialect = "spec" as Dialect } = {},
): Promise<TestApplication> {
  return { ...(await createApplication(database, { name, redirectUris, dialect })), name }
}

/** The address of the consent page; `more` replaces or, when undefined, leaves out parameters. */
export function authorizePath({ clientId }: TestApplication, more: Record<string, string | undefined> = {}): string {
  const all = { client_id: clientId, redirect_uri: REDIRECT_URI, state: "s", ...more }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.append(name, value)
  return `/oauth/authorize?${query}`
}

/** Agrees (or not) and gives the address to which the browser is sent. */
export async function decide({ browser }: Member, path: string, decision: "allow" | "deny" = "allow"): Promise<string> {
  const page = await browser.get(path)
  const reply = await browser.submit(page, "/oauth/authorize", { decision })
  if (reply.status !== 302) throw new Error(`${reply.status} ${reply.text}`)
  return reply.location as string
}

/** Agrees and gives the code. */
export const codeFor = async (
  member: Member,
  application: TestApplication,
  more?: Record<string, string | undefined>,
): Promise<string> => new URL(await decide(member, authorizePath(application, more))).searchParams.get("code") as string

/** Asks for a token, as a form when `form` is said. */
export async function askForToken(
  url: string,
  body: Record<string, unknown>,
  { form = false, path = "/oauth/access_token", headers = {} as Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: any }> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "Content-Type": form ? "application/x-www-form-urlencoded" : "application/json", ...headers },
    body: form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
}

export const exchangeBody = (
  { clientId, clientSecret }: TestApplication,
  code: string,
  more: Record<string, unknown> = {},
) => ({
  client_id: clientId,
  client_secret: clientSecret,
  code,
  ...more,
})

/** The whole flow; gives the token. */
export async function tokenFor(where: Where, member: Member, application: TestApplication): Promise<string> {
  const { body } = await askForToken(where.url, exchangeBody(application, await codeFor(member, application)))
  return body.access_token
}

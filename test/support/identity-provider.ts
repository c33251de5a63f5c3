import { AsyncLocalStorage } from "node:async_hooks"
import http from "node:http"
import Provider from "oidc-provider"
import type { IdentityConfig } from "../../src/config/identity-config.js"
import type { FormClient, LoadedPage } from "./form-client.js"
import { freePort } from "./free-port.js"
import { listening } from "./listening.js"

/** What a provider tells of somebody, beside who they are. */
export type Told = { email?: unknown; email_verified?: unknown; name?: string; groups?: string[] }

/** A whole OpenID provider on a port of its own, which signs in at once whom the test names. */
export type TestIdentityProvider = {
  readonly issuer: string
  /** For a node: whose `publicUrl` must be the one that was said. */
  readonly config: IdentityConfig
  /** Who signs in next, by subject. */
  subject: string
  /** What is told of them. */
  readonly people: Map<string, Told>
  /** How far its clock is off. */
  clockOffMs: number
  /** Paths that it was asked for. */
  readonly asked: string[]
  stop(): Promise<void>
}

const CLIENT = { client_id: "tandem", client_secret: "a secret of at least 32 characters, for HS256" }

/** @param nodes the addresses of the nodes whose people sign in here */
export async function startIdentityProvider(
  nodes: readonly string[],
  name = "Example Login",
  itsPort?: number,
  authentication?: "client_secret_basic" | "client_secret_post",
): Promise<TestIdentityProvider> {
  const port = itsPort ?? (await freePort())
  const issuer = `http://127.0.0.1:${port}`
  const asked: string[] = []
  const people = new Map<string, Told>()
  const provider = new Provider(issuer, {
    clients: [
      {
        ...CLIENT,
        ...(authentication && { token_endpoint_auth_method: authentication }),
        redirect_uris: nodes.map((node) => `${node}/sign-in/provider/callback`),
        post_logout_redirect_uris: nodes.map((node) => `${node}/sign-out`),
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "groups"],
    ...(authentication && { clientAuthMethods: [authentication] }),
    cookies: { keys: ["for tests"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/interaction" },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    async loadExistingGrant({ oidc }: any) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(oidc.params.scope)
      await grant.save()
      return grant
    },
  })

  const told = provider.callback()
  const server = http.createServer((request, response) => {
    asked.push(request.url?.split("?")[0] ?? "")
    clock.run({ offMs: running.clockOffMs }, () => {
      if (request.url !== "/interaction") return told(request, response)
      const result =
        running.subject === "" ? { error: "access_denied" } : { login: { accountId: running.subject, remember: false } }
      void provider.interactionFinished(request, response, result)
    })
  })
  const stop = await listening(server, port)
  const running: TestIdentityProvider = {
    issuer,
    config: { issuer, clientId: CLIENT.client_id, clientSecret: CLIENT.client_secret, name, allowedGroups: undefined },
    subject: "",
    people,
    clockOffMs: 0,
    asked,
    stop,
  }
  return running
}

const clock = new AsyncLocalStorage<{ offMs: number }>()

/** Lets providers of this process have clocks of their own. Undone by what it returns. */
export function separateClocks(): () => void {
  const now = Date.now
  Date.now = () => now() + (clock.getStore()?.offMs ?? 0)
  return () => {
    Date.now = now
  }
}

/** Follows a page through the provider until it leads back to the node; gives that address. */
export async function throughProvider(browser: FormClient, page: LoadedPage, node: string): Promise<string> {
  for (let at = page, steps = 0; steps < 10; steps++) {
    if (at.location === undefined) throw new Error(`the way ends at ${at.url}: ${at.status} ${at.text.slice(0, 1_000)}`)
    const to = new URL(at.location, at.url).href
    if (to.startsWith(`${node}/sign-in/provider/callback`)) return to
    at = await browser.get(to)
  }
  throw new Error("the provider leads nowhere")
}

/** Signs in with the provider; gives the page to which that leads. */
export async function signInWithProvider(browser: FormClient, node: string, next?: string): Promise<LoadedPage> {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`
  return browser.get(await throughProvider(browser, await browser.get(`${node}/sign-in/provider${query}`), node))
}

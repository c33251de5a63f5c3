import http from "node:http"

/** A page as a browser without scripts has it. */
export type LoadedPage = {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly url: string
  readonly text: string
  readonly title: string
  /** Where it leads, as it was sent. */
  readonly location: string | undefined
  /** The fields that the form with this action sends by itself. */
  form(action: string): Record<string, string>
}

/** A browser that knows cookies, links and forms, and no scripts. */
export type FormClient = {
  cookies: Map<string, string>
  /** Loads a page, without following where it leads. */
  get(path: string, headers?: Record<string, string>): Promise<LoadedPage>
  /** Sends fields as they are, with nothing of a page. */
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<LoadedPage>
  /** Fills in a form of a page and sends it. */
  submit(page: LoadedPage, action: string, fields?: Record<string, string>): Promise<LoadedPage>
  /** Loads where a page leads. */
  follow(page: LoadedPage): Promise<LoadedPage>
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] as string)

function loaded(url: string, status: number, headers: http.IncomingHttpHeaders, text: string): LoadedPage {
  return {
    status,
    headers,
    url,
    text,
    title: unescaped(/<h1>([\s\S]*?)<\/h1>/.exec(text)?.[1] ?? ""),
    location: headers.location,
    form(action) {
      for (const [, attributes = "", body = ""] of text.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)) {
        if (unescaped(/action="([^"]*)"/.exec(attributes)?.[1] ?? "").split("?")[0] !== action.split("?")[0]) continue
        const inputs = [...body.matchAll(/<input type="(?:hidden|text|email)"[^>]*>/g)].map(([input]) => {
          const of = (name: string) => unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? "")
          return [of("name"), of("value")]
        })
        for (const [, name = ""] of body.matchAll(/<input type="checkbox" name="([^"]*)" value="on" checked>/g))
          inputs.push([name, "on"])
        return Object.fromEntries(inputs)
      }
      throw new Error(`no form sends to ${action}; ${status} ${text.slice(0, 500)}`)
    },
  }
}

/** @param localAddress where it comes from, as the server sees it */
export function createFormClient(
  origin: string,
  localAddress = "127.0.0.1",
  userAgent = "Mozilla/5.0 (X11; Linux) Firefox/140.0",
): FormClient {
  const cookies = new Map<string, string>()
  const agent = new http.Agent({ keepAlive: true, localAddress } as http.AgentOptions)

  function request(
    method: string,
    path: string,
    body: string | undefined,
    more: Record<string, string> = {},
  ): Promise<LoadedPage> {
    const url = new URL(path, origin)
    const headers: Record<string, string> = { "user-agent": userAgent, ...more }
    if (cookies.size > 0) headers.cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    if (body !== undefined) headers["content-type"] ??= "application/x-www-form-urlencoded"
    return new Promise((resolve, reject) => {
      const sent = http.request(url, { method, headers, agent, localAddress }, (response) => {
        for (const cookie of response.headers["set-cookie"] ?? []) {
          const [name = "", value = ""] = (cookie.split(";")[0] as string).split("=")
          cookies.set(name, value)
        }
        let text = ""
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk
        })
        response.on("end", () => resolve(loaded(url.href, response.statusCode ?? 0, response.headers, text)))
      })
      sent.on("error", reject)
      sent.end(body)
    })
  }

  const send: FormClient["send"] = (path, fields, headers) =>
    request("POST", path, new URLSearchParams(fields).toString(), headers)
  return {
    cookies,
    get: (path, headers) => request("GET", path, undefined, headers),
    send,
    submit(page, action, fields = {}) {
      const target = [...page.text.matchAll(/action="([^"]*)"/g)]
        .map(([, to]) => unescaped(to as string))
        .find((to) => to.split("?")[0] === action)
      return send(target ?? action, { ...page.form(action), ...fields })
    },
    follow: (page) => request("GET", page.location ?? "", undefined),
  }
}

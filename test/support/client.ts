import { checkExchange } from "./openapi.js"

/** An answer of REST; `body` is the JSON, or the text when it is none. */
export type Reply = { status: number; headers: Headers; body: any; text: string }

/** An answer of GraphQL. */
export type GraphqlReply = {
  status: number
  data: any
  errors:
    | { message: string; path?: unknown[]; extensions: { code: string; fields?: Record<string, string[]> } }[]
    | undefined
  /** The code of the first error, undefined when all went well. */
  code: string | undefined
  fields: Record<string, string[]> | undefined
}

export type Credentials = {
  clientId?: string
  token?: string
  /** The dialect of the application, if it matters. */
  dialect?: string
}

/** Speaks to one node as one person, over REST and GraphQL. */
export type Client = {
  readonly url: string
  readonly credentials: Credentials
  /** Headers that authenticate the user. */
  readonly headers: Record<string, string>
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  graphql(query: string, variables?: Record<string, unknown>, headers?: Record<string, string>): Promise<GraphqlReply>
}

/** Paths are below `/api/v1` unless they begin with `/api/` or are absolute. Every answer below `/api` is held against the OpenAPI document. */
export function createClient(url: string, credentials: Credentials = {}): Client {
  const headers: Record<string, string> = {}
  if (credentials.clientId !== undefined) headers["X-Client-ID"] = credentials.clientId
  if (credentials.token !== undefined) headers["X-Access-Token"] = credentials.token

  async function request(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const target = path.startsWith("/api/") || path.startsWith("/graphql") ? `${url}${path}` : `${url}/api/v1${path}`
    const type: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" }
    const response = await fetch(target, {
      method,
      headers: { ...headers, ...type, ...more },
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      redirect: "manual",
    })
    const text = await response.text()
    let parsed: unknown = text
    try {
      parsed = text === "" ? undefined : JSON.parse(text)
    } catch {
      // not JSON: the text is the body
    }
    const { pathname } = new URL(target)
    if (pathname.startsWith("/api/"))
      checkExchange({
        method,
        path: pathname,
        sent: body,
        status: response.status,
        headers: response.headers,
        body: parsed,
        text,
        dialect: credentials.dialect,
      })
    return { status: response.status, headers: response.headers, body: parsed, text }
  }

  return {
    url,
    credentials,
    headers,
    request,
    get: (path, more) => request("GET", path, undefined, more),
    post: (path, body, more) => request("POST", path, body, more),
    patch: (path, body, more) => request("PATCH", path, body, more),
    put: (path, body, more) => request("PUT", path, body, more),
    delete: (path, body, more) => request("DELETE", path, body, more),
    async graphql(query, variables, more) {
      const { status, body } = await request("POST", "/graphql", { query, variables }, more)
      const [first] = body?.errors ?? []
      return {
        status,
        data: body?.data,
        errors: body?.errors,
        code: first?.extensions?.code,
        fields: first?.extensions?.fields,
      }
    },
  }
}

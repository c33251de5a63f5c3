import { type GraphQLField, getNamedType, isCompositeType, isNonNullType } from "graphql"
import { beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { createAccessToken } from "../../src/oauth/access-token.js"
import { asksNetwork } from "../../src/operations/once-rules.js"
import { SCOPES, type Scope } from "../../src/scalars/scope.js"
import { readRow } from "../../src/transports/docs/row.js"
import { buildSchema } from "../../src/transports/graphql/schema.js"
import { routes } from "../../src/transports/rest/routes.js"
import { type Client, createClient } from "../support/client.js"
import { makePerson } from "../support/make.js"
import { sharedNode, type TestNode } from "../support/node.js"

// What a token may do: each root field of the schema × tokens with some scopes × every transport. What is sent lacks its
// arguments, so that a token that may go on is told so, and nothing is made: a scope is looked at before anything else.

const schema = buildSchema()

type Root = { operation: "query" | "mutation" | "subscription"; name: string; needs: readonly Scope[]; text: string }

const roots: Root[] = (["query", "mutation", "subscription"] as const).flatMap((operation) =>
  Object.values(schema.getRootType(operation as never)?.getFields() ?? {}).map((field) => ({
    operation,
    name: field.name,
    needs: field.extensions.needs as readonly Scope[],
    text: textOf(operation, field),
  })),
)

function textOf(operation: string, { name, args, type }: GraphQLField<unknown, unknown>, directive = ""): string {
  const needed = args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
  const declared = needed.map((arg) => `$${arg.name}: ${arg.type}`).join(", ")
  const given = needed.map((arg) => `${arg.name}: $${arg.name}`).join(", ")
  const selection = isCompositeType(getNamedType(type)) ? " { __typename }" : ""
  return `${operation} ${declared && `(${declared})`}${directive} { ${name}${given && `(${given})`}${selection} }`
}

type Holder = { readonly scopes: readonly Scope[]; readonly client: Client }

let node: TestNode
/** With one scope each, with all but one each, and with all. */
let holders: Holder[]
let single: Holder[]

beforeAll(async () => {
  node = await sharedNode()
  const { id, credentials } = await makePerson(node)
  const sets = [...SCOPES.map((one) => [one]), ...SCOPES.map((one) => SCOPES.filter((scope) => scope !== one)), SCOPES]
  holders = await Promise.all(
    sets.map(async (scopes) => {
      const token = await createAccessToken(node.database, String(id), credentials.clientId as string, scopes)
      return { scopes, client: createClient(node.url, { clientId: credentials.clientId, token } as never) }
    }),
  )
  single = holders.slice(0, SCOPES.length)
})

const may = ({ scopes }: Holder, needs: readonly Scope[]) => needs.every((scope) => scopes.includes(scope))

/** What was let through, and what should have been, of all pairs: the difference is empty. */
async function compare<Thing extends { needs: readonly Scope[] }>(
  things: readonly Thing[],
  holding: readonly Holder[],
  nameOf: (thing: Thing) => string,
  isRefused: (thing: Thing, holder: Holder) => Promise<boolean>,
): Promise<string[]> {
  const wrong: string[] = []
  for (const holder of holding)
    for (let from = 0; from < things.length; from += 16)
      await Promise.all(
        things.slice(from, from + 16).map(async (thing) => {
          const refused = await isRefused(thing, holder)
          if (refused === may(holder, thing.needs))
            wrong.push(`${nameOf(thing)} ${refused ? "refuses" : "lets in"} [${holder.scopes}]`)
        }),
      )
  return wrong
}

const ofRoot = ({ operation, name }: Root) => `${operation} ${name}`
const ofRow = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

/** Whether an error is the refusal, in full. */
function isRefusal(error: { extensions?: Record<string, unknown> } | undefined, needs: readonly Scope[]): boolean {
  if (error?.extensions?.code !== "INSUFFICIENT_SCOPE") {
    expect(error?.extensions?.code).not.toBe("UNAUTHORIZED")
    return false
  }
  expect(error.extensions.scope).toBe(SCOPES.filter((scope) => needs.includes(scope)).join(" "))
  return true
}

describe("root fields", () => {
  it("need read where they show something, and no mutation is open to a token that only reads", () => {
    const otherwise = roots.filter(
      ({ operation, needs }) => (operation === "mutation") === needs.includes("read" as Scope),
    )
    // Those of them that send what can be read to somewhere else need both, and the credentials of an upload are for writing.
    expect(otherwise.map(({ name }) => name).sort()).toEqual([
      "createCalendarFeed",
      "createDevice",
      "createWebhook",
      "redeliver",
      "updateWebhook",
      "uploadPart",
    ])
    for (const { needs, operation } of roots) if (operation === "mutation") expect(needs).not.toEqual(["read"])
  })

  it("need what they are about", () => {
    const about = (name: string): string =>
      /Membership$/.test(name)
        ? "share"
        : /Webhook|redeliver|Token|Application|Authorization|Device|CalendarFeed|User$/.test(name)
          ? "manage"
          : "write"
    for (const { name, operation, needs } of roots)
      if (operation === "mutation") expect([name, needs[0]]).toEqual([name, about(name)])
  })

  it("need manage, and so does each field, where they show a secret", () => {
    const secret = /secret|accessTokens|applications|authorizedApplications|calendarFeeds|^token$/i
    for (const type of Object.values(schema.getTypeMap())) {
      if (!("getFields" in type) || type.name.startsWith("__") || type === schema.getMutationType()) continue
      for (const field of Object.values(type.getFields()))
        if ("args" in field && (field.extensions.secret === true || secret.test(field.name)))
          expect([type.name, field.name, field.extensions.needs]).toEqual([type.name, field.name, ["manage"]])
    }
  })
})

describe("a token with some scopes", () => {
  it("runs over HTTP what it is good for, and is refused with 403 for all else", async () => {
    const ask = async ({ text, needs }: Root, { client }: Holder) => {
      const { status, errors } = await client.graphql(text)
      const refused = isRefusal(errors?.[0], needs)
      if (refused) expect(status).toBe(403)
      return refused
    }
    // Subscriptions are told of other carriers here, with every token.
    const run = roots.filter(({ operation }) => operation !== "subscription")
    expect(await compare(run, holders, ofRoot, ask)).toEqual([])
  })

  it("runs the same with @atomic", async () => {
    const atomic = roots
      .filter(({ operation }) => operation === "mutation")
      .map((root) => {
        const field = schema.getMutationType()?.getFields()[root.name] as GraphQLField<unknown, unknown>
        return { ...root, text: textOf("mutation", field, " @atomic"), field }
      })
      .filter(({ field }) => !asksNetwork(field))
    expect(atomic.length).toBeGreaterThan(40)
    const ask = async ({ text, needs }: Root, { client }: Holder) =>
      isRefusal((await client.graphql(text, {}, { "Idempotency-Key": text })).errors?.[0], needs)
    expect(await compare(atomic, single, ofRoot, ask)).toEqual([])
  })

  it("runs the same over a WebSocket", async () => {
    for (const holder of single) {
      const socket = await openGraphql(holder.client)
      const wrong = await compare(roots, [holder], ofRoot, async ({ text, needs }) =>
        isRefusal(await socket.run(text, may(holder, needs)), needs),
      )
      socket.close()
      expect(wrong).toEqual([])
    }
  })

  it("runs the same over server-sent events", async () => {
    const ask = async ({ text, needs }: Root, { client }: Holder) => {
      const leaving = new AbortController()
      const reply = await fetch(`${node.url}/graphql`, {
        method: "POST",
        headers: { ...client.headers, "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify({ query: text }),
        signal: leaving.signal,
      })
      expect(reply.status).toBe(200)
      // What is refused has a length; a subscription that begins has none.
      const isStream = reply.headers.get("content-length") === null
      const [, data] = isStream ? [] : (/^data: (.+)$/m.exec(await reply.text()) ?? [])
      leaving.abort()
      return isRefusal(data === undefined ? undefined : JSON.parse(data).errors?.[0], needs)
    }
    expect(await compare(roots, single, ofRoot, ask)).toEqual([])
  })

  const rows = routes.map((route) => {
    const { field } = readRow(schema, "", route)
    const needs = field.extensions.needs as readonly Scope[]
    return { ...route, path: route.path.replace(":id", "1"), needs, asksNetwork: asksNetwork(field) }
  })

  it("asks REST for what it is good for, and is refused with 403 for all else, whatever else is wrong", async () => {
    const ask = async ({ method, path, needs }: (typeof rows)[number], { client }: Holder) => {
      const { status, body, headers } = await client.request(method, path, method === "GET" ? undefined : [])
      if (body?.error?.type !== "insufficient_scope") return false
      const scope = SCOPES.filter((one) => needs.includes(one)).join(" ")
      expect([status, body.error.scope]).toEqual([403, scope])
      expect(headers.get("www-authenticate")).toContain(`Bearer error="insufficient_scope", scope="${scope}"`)
      return true
    }
    expect(await compare(rows, single, ofRow, ask)).toEqual([])
    const aliases = rows
      .filter(({ method, path }) => method === "PATCH" || path.startsWith("/files"))
      .map((row) =>
        row.method === "PATCH" ? { ...row, method: "PUT" as never } : { ...row, path: `/../v2${row.path}` },
      )
    const raw = async ({ method, path }: (typeof rows)[number], { client }: Holder) => {
      const reply = await fetch(new URL(`${node.url}/api/v1${path}`), { method, headers: client.headers })
      return reply.status === 403 && (await reply.text()).includes("insufficient_scope")
    }
    expect(await compare(aliases, single, ofRow, raw)).toEqual([])
  })

  it("does the same in a batch, each for itself and as a whole", async () => {
    const batched = rows.filter((row) => !row.asksNetwork).map((row) => ({ ...row, path: `/api/v1${row.path}` }))
    for (const holder of single) {
      const requests = batched.map(({ method, path }, index) => ({ id: `r${index}`, method, path }))
      const { body } = await holder.client.post("/batch", { atomic: false, requests })
      const refused = (index: number) => body.responses[index].body?.error?.type === "insufficient_scope"
      expect(batched.filter((row, index) => refused(index) === may(holder, row.needs)).map(ofRow)).toEqual([])
    }
    const ask = async ({ method, path }: (typeof rows)[number], { client }: Holder) => {
      const { body } = await client.post(
        "/batch",
        { requests: [{ id: "a", method, path }] },
        { "Idempotency-Key": `${method}${path}` },
      )
      return body?.error?.type === "insufficient_scope"
    }
    expect(
      await compare(
        batched.filter(({ method }) => method !== "GET"),
        single,
        ofRow,
        ask,
      ),
    ).toEqual([])
  })

  it("hears events only with read: over REST, and on the SDK's socket, whose requests need what others need", async () => {
    for (const holder of holders) {
      const leaving = new AbortController()
      const { signal } = leaving
      const reply = await fetch(`${node.url}/api/v1/events`, { headers: holder.client.headers, signal })
      expect([holder.scopes, reply.status]).toEqual([holder.scopes, may(holder, ["read" as Scope]) ? 200 : 403])
      leaving.abort()
      const socket = await openSdk(holder.client)
      if (!may(holder, ["read" as Scope])) expect(socket).toBe(403)
      else {
        const { ask, close } = socket as Sdk
        const wrong = await compare(
          rows,
          [holder],
          ofRow,
          async ({ method, path }) => (await ask(method, path)) === 403,
        )
        close()
        expect(wrong).toEqual([])
      }
    }
  })
})

type GraphqlError = { extensions?: Record<string, unknown> }

/** A socket of graphql-transport-ws. `run` gives the first error of an operation, or nothing when it begins to be answered. */
async function openGraphql({ credentials }: Client) {
  const socket = new WebSocket(`${node.url.replace("http", "ws")}/graphql`, "graphql-transport-ws")
  const waiting = new Map<string, (error: GraphqlError | undefined) => void>()
  await new Promise((resolve) => socket.once("open", resolve))
  const payload = { "X-Client-ID": credentials.clientId, "X-Access-Token": credentials.token }
  socket.send(JSON.stringify({ type: "connection_init", payload }))
  await new Promise((resolve) => socket.once("message", resolve))
  socket.on("message", (data) => {
    const { id, type, payload } = JSON.parse(String(data))
    waiting.get(id)?.(type === "error" ? payload[0] : payload?.errors?.[0])
  })
  let count = 0
  return {
    async run(query: string, isOpen: boolean): Promise<GraphqlError | undefined> {
      const id = String(++count)
      const answered = new Promise<GraphqlError | undefined>((resolve) => waiting.set(id, resolve))
      socket.send(JSON.stringify({ id, type: "subscribe", payload: { query } }))
      // A subscription that begins says nothing, so a while is waited where it should.
      const silence = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 100).unref())
      const isSilent = isOpen && query.startsWith("subscription")
      const error = await (isSilent ? Promise.race([answered, silence]) : answered)
      socket.send(JSON.stringify({ id, type: "complete" }))
      return error
    },
    close: () => socket.close(),
  }
}

type Sdk = { ask(verb: string, path: string): Promise<number>; close(): void }

/** The SDK's socket, or the status with which it is refused. */
function openSdk({ credentials }: Client): Promise<Sdk | number> {
  const query = new URLSearchParams({
    client_id: String(credentials.clientId),
    access_token: String(credentials.token),
  })
  const socket = new WebSocket(`${node.url.replace("http", "ws")}/api/v1/sync?${query}`)
  const waiting = new Map<string, (status: number) => void>()
  socket.on("message", (data) => {
    const { headers, status } = JSON.parse(String(data))
    if (headers) waiting.get(headers["x-client-request-id"])?.(status)
  })
  const ask = (verb: string, path: string) =>
    new Promise<number>((resolve) => {
      const id = `${waiting.size}`
      waiting.set(id, resolve)
      const frame = { type: "request", headers: { "x-client-request-id": id }, verb, uri: `/api/v1${path}` }
      socket.send(JSON.stringify(frame))
    })
  return new Promise((resolve, reject) => {
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode as number))
    socket.on("open", () => resolve({ ask, close: () => socket.close() }))
    socket.on("error", reject)
  })
}

import { execFile, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { exampleBody, type ProblemName, samples } from "../../src/transports/docs/problems.js"
import { routes } from "../../src/transports/rest/routes.js"
import { freePort } from "../support/free-port.js"
import { makePerson, type Person } from "../support/make.js"
import { sharedNode, startNodeOn, type TestNode } from "../support/node.js"

let node: TestNode
let ann: Person

beforeAll(async () => {
  node = await sharedNode()
  ann = await makePerson(node)
})

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${node.url}${path}`, { headers })

describe("GET /docs/openapi.json (ours)", () => {
  it("is the document of the tree with this node as its server, and may be read by any page", async () => {
    const reply = await get("/docs/openapi.json")
    expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(reply.headers.get("access-control-allow-origin")).toBe("*")
    const { servers, ...document } = (await reply.json()) as { servers: { url: string }[] }
    expect(servers).toEqual([{ url: node.url, description: "This service." }])
    const { servers: _, ...inTree } = JSON.parse(readFileSync("openapi.json", "utf8"))
    expect(document).toEqual(inTree)
  })

  it("is sent once to clients that cache it", async () => {
    for (const path of ["/docs/openapi.json", "/docs", "/schema.graphql"]) {
      const etag = (await get(path)).headers.get("etag") as string
      const again = await get(path, { "If-None-Match": `"other", ${etag}` })
      expect([path, again.status, await again.text()]).toEqual([path, 304, ""])
      expect((await get(path, { "If-None-Match": '"other"' })).status).toBe(200)
    }
  })
})

describe("GET /schema.graphql (ours)", () => {
  it("is schema.graphql as a file", async () => {
    const reply = await get("/schema.graphql")
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="schema.graphql"')
    expect(await reply.text()).toBe(readFileSync("schema.graphql", "utf8"))
  })
})

describe("documents of a node in production behind a path (ours)", () => {
  it("name the path in every address, and do not show the schema", async () => {
    const port = await freePort()
    const publicUrl = `http://127.0.0.1:${port}/tandem`
    const shut = await startNodeOn(node.databaseUrl, { introspection: false, port, publicUrl })
    const textAt = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    const [schema, page, document] = await Promise.all(["/schema.graphql", "/docs", "/docs/openapi.json"].map(textAt))
    await shut.stop()
    expect(JSON.parse(schema as string).error.type).toBe("not_found")
    expect(page?.match(/(?:href|src)="\/(?!tandem\/)[^"]*/g)).toBeNull()
    const { servers, info } = JSON.parse(document as string)
    expect(servers[0].url).toBe(publicUrl)
    expect(info.description).toContain("](/tandem/docs/errors)")
  })
})

describe("GET /docs (ours)", () => {
  it("has every row with a link to its counterpart, and the table of fields a link back", async () => {
    const first = await (await get("/docs")).text()
    const parts = new Set([...first.matchAll(/href="(\/docs\/rest\/[^"#]+)"/g)].map(([, path]) => path as string))
    const pages = await Promise.all([...parts].map(async (path) => (await get(path)).text()))
    // A piece is read in a moment, and nothing is in two.
    for (const piece of [first, ...pages]) expect(piece.length).toBeLessThan(400_000)
    expect(first).not.toContain('class="op"')
    expect((await get("/docs/rest/nothing")).status).toBe(404)
    const page = pages.join("")
    const table = await (await get("/docs/graphql")).text()
    const { paths } = JSON.parse(readFileSync("openapi.json", "utf8"))
    for (const { method, path } of routes) {
      const { operationId } = paths[`/api/v1${path.replaceAll(/:(\w+)/g, "{$1}")}`][method.toLowerCase()]
      expect(page).toContain(`id="${operationId}"`)
      expect(page).toMatch(new RegExp(`<a href="/graphql\\?query=[^"]+"><code>${operationId}</code></a>`))
      expect(table).toContain(`<a href="/docs#${operationId}"><code>${method} `)
    }
    expect(table).toContain('id="subscription-listUpdated"')
  })

  it.skipIf(spawnSync("curl", ["--version"]).status !== 0)("has lines for a shell that run as they stand", async () => {
    const page = await (await get("/docs/rest/lists")).text()
    const lineOf = (id: string) => {
      const [, line = ""] = new RegExp(`id="${id}"[\\s\\S]*?<summary>curl</summary><pre>([^<]*)</pre>`).exec(page) ?? []
      return line.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")
    }
    const env = { PATH: process.env.PATH, CLIENT_ID: ann.credentials.clientId, TOKEN: ann.credentials.token }
    const run = promisify(execFile)
    const made = JSON.parse((await run("sh", ["-c", `${lineOf("createList")} -s`], { env })).stdout)
    expect(made).toMatchObject({ title: "Groceries", type: "list" })
    const path = lineOf("list").replace("/lists/12", `/lists/${made.id}`)
    expect(JSON.parse((await run("sh", ["-c", `${path} -s`], { env })).stdout)).toEqual(made)
    expect(lineOf("deleteList")).toContain("curl -X DELETE")
  })

  it("takes scripts, styles and everything else from here alone", async () => {
    const reply = await get("/docs")
    expect(reply.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    )
    const page = await reply.text()
    for (const [, part = ""] of page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)) {
      expect(part).toMatch(/^\//)
      expect([part, (await get(part)).status]).toEqual([part, 200])
    }
    expect(page).not.toMatch(/<script>|style="|onclick=/)
  })
})

describe("pages about errors (ours)", () => {
  const types = [...readFileSync("src/errors.ts", "utf8").matchAll(/\btype: "(\w+)"/g)].map(
    ([, type]) => type as string,
  )

  it("are there for every type of error that the service knows, and for no other", async () => {
    expect(new Set(Object.values(samples).map(({ problem }) => problem.kind.type))).toEqual(new Set(types))
    expect(readdirSync("docs/errors").sort()).toEqual([...new Set(types)].sort().map((type) => `${type}.md`))
    const index = await (await get("/docs/errors")).text()
    for (const type of new Set(types)) {
      expect(index).toContain(`href="/docs/errors/${type}"`)
      const reply = await get(`/docs/errors/${type}`)
      expect([type, reply.status]).toEqual([type, 200])
      expect(await reply.text()).toMatch(/<h2>Why it happens<\/h2>[\s\S]*<h2>What to do<\/h2>/)
    }
    expect((await get("/docs/errors/nothing")).status).toBe(404)
  })

  it.each([...new Set(types)])("%s shows what is really sent", (type) => {
    const fences = [...readFileSync(`docs/errors/${type}.md`, "utf8").matchAll(/```json\n([\s\S]*?)\n```/g)]
    const shown = fences.map(([, text]) => JSON.parse(text as string))
    const sent = (Object.keys(samples) as ProblemName[])
      .filter((name) => samples[name].problem.kind.type === type)
      .flatMap((name) => {
        const { message, extensions } = samples[name].problem
        return [exampleBody(name), { errors: [{ message, extensions: JSON.parse(JSON.stringify(extensions)) }] }]
      })
    expect(shown.length).toBeGreaterThan(0)
    for (const one of shown) expect(sent).toContainEqual(one)
  })
})

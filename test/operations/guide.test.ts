import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { createMeters } from "../../src/telemetry/meters.js"
import { routes } from "../../src/transports/rest/routes.js"
import { sharedNode, type TestNode } from "../support/node.js"
import { scrape } from "./exposition.js"

const GUIDE = "docs/guide"
const pages = readdirSync(GUIDE).filter((name) => name.endsWith(".md"))
const textOf = (name: string) => readFileSync(join(GUIDE, name), "utf8")
const guide = pages.map(textOf).join("\n")

describe("moving-from-the-retired-service.md", () => {
  const rows = [
    ...textOf("moving-from-the-retired-service.md").matchAll(
      /^\| `(GET|POST|PATCH|DELETE) (\/\S*)` \| (\d+) \| (\w+) \| ?(.*?) ?\|$/gm,
    ),
  ].map(([, method, path, status, change, note]) => ({ method, path, status: Number(status), change, note }))

  it("has one row for each route, in the order of the table of routes, with its status", () => {
    expect(rows.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual(
      routes.map(({ method, path, status }) => `${method} ${path} ${status}`),
    )
  })

  it("says of exactly those that a dialect changes that they differ, and how", () => {
    const changed = routes
      .filter(
        ({ status, wunderlistStatus, options }) =>
          status !== wunderlistStatus || options.inArray || options.wunderlistDocument,
      )
      .map(({ method, path }) => `${method} ${path}`)
    const told = rows.filter(({ change }) => change === "differs")
    expect(told.map(({ method, path }) => `${method} ${path}`)).toEqual(changed)
    for (const { note } of told) expect(note).toMatch(/`wunderlist`.*`spec`/)
    expect(rows.every(({ change }) => ["same", "differs", "new"].includes(change as string))).toBe(true)
  })
})

describe("docs/guide", () => {
  it.each(pages)("%s: every link leads to a file, and to a heading in it", (name) => {
    const anchorsOf = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        (heading as string)
          .toLowerCase()
          .replace(/[^\w\- ]/g, "")
          .replaceAll(" ", "-"),
      )
    const links = [...textOf(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target as string)
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      const [file = "", anchor] = link.split("#")
      const path = file === "" ? join(GUIDE, name) : normalize(join(dirname(join(GUIDE, name)), file))
      expect(existsSync(path), link).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(path, "utf8")), link).toContain(anchor)
    }
  })

  it("names no setting that there is not", () => {
    const known = new Set(
      readdirSync("src/config").flatMap((file) =>
        [...readFileSync(join("src/config", file), "utf8").matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(
          ([, name]) => name,
        ),
      ),
    )
    const ofOthers = /^(PATRONI_\w+|ETCD_\w+|POSTGRES_PASSWORD|NODE_OPTIONS|RESYNC_REQUIRED|RATE_LIMITED)$/
    const named = new Set(
      [...guide.matchAll(/(?<![\w$-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?!_?…)\b/g)].map(([, name]) => name as string),
    )
    expect([...named].filter((name) => !known.has(name) && !ofOthers.test(name))).toEqual([])
    expect(named.size).toBeGreaterThan(15)
  })

  it("names no command that there is not", () => {
    const commands = readdirSync("src/cli").map((name) => name.replace(".ts", ""))
    for (const [, command, more] of guide.matchAll(
      /(?:`|^|&& )tandem ([a-z]+)(?: (create|revoke|list|rotate-secret))?/gm,
    )) {
      const isThere =
        commands.includes(command as string) ||
        commands.some((name) => name.startsWith(`${command}-`)) ||
        command === "serve"
      expect(isThere, `tandem ${command} ${more ?? ""}`).toBe(true)
    }
  })
})

describe("running-in-production.md", () => {
  let node: TestNode
  beforeAll(async () => {
    node = await sharedNode()
  })

  it("explains every metric of ours, and alerts on none that there is not", async () => {
    const text = textOf("running-in-production.md")
    const metrics = [...(await scrape(node.url)).keys()]
    const ours = new Set([
      ...metrics,
      ...createMeters()
        .read()
        .map(({ name }) => name),
      "tandem_jobs",
    ])
    const named = new Set(
      [...text.matchAll(/\b((?:tandem|nodejs|process)_[a-z0-9_]+)/g)].map(([, name]) => name as string),
    )
    for (const name of ours) if (name.startsWith("tandem_")) expect([...named]).toContain(name)
    for (const name of named)
      expect([...ours], name).toContain(ours.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ""))
  })
})

import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const levels = /## Map of `src\/`\n([\s\S]*?)\n## /.exec(readFileSync("README.md", "utf8"))?.[1] ?? ""
const rows = levels.split("\n").filter((line) => /^\| \d \|/.test(line))

/** What stands directly in `src/`, as the map names it; what the build writes is nobody's room. */
const rooms = readdirSync("src", { withFileTypes: true })
  .filter(({ name }) => name !== "generated")
  .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))

describe("the map of src/ in README.md", () => {
  it("names every file and folder that stands directly in src/, once, and nothing else", () => {
    const named = rows.flatMap((row) => [...(row.split("|")[2] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name))
    expect(named.map((name) => name?.replace("<name>/", "")).sort()).toEqual(rooms.sort())
  })

  it("is in the order in which imports go down", () => {
    const order = rows.map((row) => Number(row.split("|")[1]))
    expect(order).toEqual(order.toSorted((a, b) => b - a))
  })
})

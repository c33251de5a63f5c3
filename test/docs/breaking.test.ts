import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const SCRIPT = resolve("scripts/check-breaking.mjs")
const folder = mkdtempSync(join(tmpdir(), "tandem-breaking-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const hasGit = spawnSync("git", ["--version"]).status === 0
const git = (...args: string[]) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder, stdio: "pipe" })

const BEFORE = "type Query {\n  task(id: ID!): String\n  list: String\n}\n"
function write(schema: string, unreleased = ""): void {
  writeFileSync(join(folder, "schema.graphql"), schema)
  writeFileSync(
    join(folder, "CHANGELOG.md"),
    `# Changelog\n\n## [Unreleased]\n\n${unreleased}\n\n## [1.0.0]\n\n- Breaking: \`Query.list\`\n`,
  )
}
function check(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd: folder, encoding: "utf8" })
  return { status, text: stdout + stderr }
}

describe.skipIf(!hasGit)("scripts/check-breaking.mjs (ours)", () => {
  it("has nothing to compare with where there is no history", () => {
    write(BEFORE)
    expect(check()).toEqual({ status: 0, text: "No earlier schema to compare with.\n" })
  })

  it("lets grow what clients do not notice", () => {
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    write(BEFORE.replace("}", "  note: String\n}"))
    expect(check().status).toBe(0)
  })

  it("refuses what breaks clients until the changelog says so under Unreleased", () => {
    const without = BEFORE.replace("  list: String\n", "")
    write(without)
    const { status, text } = check()
    expect(status).toBe(1)
    expect(text).toContain("Field 'list' was removed from object type 'Query'")
    expect(text).toContain("Breaking: `Query.list`")
    write(without, "- Breaking: `Query.lists` is gone")
    expect(check().status).toBe(1)
    write(without, "- Breaking: `Query.list` is gone")
    expect(check().status).toBe(0)
  })

  it("takes the section of the version that is being released, until that has its tag", () => {
    write(BEFORE.replace("  list: String\n", ""))
    expect(check().status).toBe(1)
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.0.0" }))
    expect(check().status).toBe(0)
    git("tag", "v1.0.0")
    expect(check().status).toBe(1)
    git("tag", "-d", "v1.0.0")
    rmSync(join(folder, "package.json"))
  })

  it("remembers it once it is committed, since the last change, the last release or what is named", () => {
    write(BEFORE.replace("  list: String\n", ""))
    git("commit", "-qam", "second")
    expect(check().status).toBe(1)
    git("tag", "v1")
    expect(check().text).toContain("0 breaking changes of the schema since v1")
    expect(check("HEAD~1").status).toBe(1)
    expect(check("nowhere")).toEqual({ status: 2, text: "nowhere has no schema.graphql.\n" })
  })
})

import { spawn } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { text } from "node:stream/consumers"
import { beforeAll, describe, expect, it } from "vitest"
import { buildServer } from "../support/built-server.js"

beforeAll(buildServer)

const COMMANDS = [[["--help"]], [["user", "create", "--help"]], [["import", "--help"]]]

describe("tandem, whose output nobody reads to its end", () => {
  it.each(COMMANDS)("ends quietly: %j", async (words) => {
    const child = spawn(process.execPath, ["dist/cli/tandem.js", ...words], { stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.destroy() // as head does when it has seen enough
    const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, "exit")])
    expect({ said, code, signal }).toEqual({ said: "", code: 0, signal: null })
  })

  it("says in one sentence that its output cannot be written, and fails", async () => {
    const child = spawn(process.execPath, ["dist/cli/tandem.js", "--help"], {
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    })
    const [said, [code]] = await Promise.all([text(child.stderr as NodeJS.ReadableStream), once(child, "exit")])
    expect(said).toMatch(/^standard output: cannot be written: [^\n]+\n$/)
    expect(code).toBe(1)
  })
})

import { describe, expect, it } from "vitest"
import { environmentOf } from "../../scripts/release/install.mjs"

describe("What release:check passes on", () => {
  it("are paths and places of the machine, and no settings of a service or of npm", () => {
    const settings = { DATABASE_URL: "postgres://x", S3_SECRET_ACCESS_KEY: "x", PORT: "1", npm_config_prefix: "/x" }
    const machine = { HOME: "/home/ann", TMPDIR: "/tmp", LC_ALL: "C", https_proxy: "http://p" }
    const passed = environmentOf("/node-22/bin/node", { ...settings, ...machine, PATH: "/bin" })
    expect(passed).toEqual({ ...machine, PATH: "/node-22/bin:/bin" })
  })
})

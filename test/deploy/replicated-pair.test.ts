import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"

const read = (path: string) => readFileSync(path, "utf8")

const secrets = Object.fromEntries(
  read("deploy/patroni/patroni.secret.env.example")
    .split("\n")
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
)

describe("deploy/patroni", () => {
  const patroni = parse(read("deploy/patroni/patroni.yml"))
  const haproxy = read("deploy/patroni/haproxy.cfg")

  it("confirms a commit when the standby has it, and says so to PostgreSQL", () => {
    const { dcs } = patroni.bootstrap
    expect(dcs.synchronous_mode).toBe(true)
    expect(dcs.postgresql.parameters.synchronous_commit).toBe("on")
    // Or a leader that is slow for a moment would lose its place (Patroni's own rule).
    expect(dcs.ttl).toBeGreaterThanOrEqual(dcs.loop_wait + 2 * dcs.retry_timeout)
  })

  it("has no password in it, and none in its example", () => {
    const passwords = Object.entries(secrets).filter(([name]) => name.endsWith("_PASSWORD"))
    expect(passwords.map(([, value]) => value)).toEqual(["", "", ""])
    expect(read("deploy/patroni/patroni.yml")).not.toMatch(/password:/i)
  })

  it("leads to the machines that the example names, and ends connections to a former primary", () => {
    expect(haproxy).toContain(`server db1 ${secrets.PATRONI_POSTGRESQL_CONNECT_ADDRESS} check port 8008`)
    expect(haproxy).toContain("on-marked-down shutdown-sessions")
    expect(patroni.restapi.listen).toBe("0.0.0.0:8008")
  })

  it.skipIf(!existsSync("/usr/bin/patroni"))("is taken by Patroni, with the environment of the example", () => {
    const filled = Object.entries(secrets).map(([name, value]) => [name, value || "secret"])
    const env = { ...process.env, ...Object.fromEntries(filled) }
    const { status, stdout } = spawnSync("/usr/bin/patroni", ["--validate-config", "deploy/patroni/patroni.yml"], {
      env,
    })
    expect([status, String(stdout)]).toEqual([0, ""])
  })

  it.skipIf(!existsSync("/usr/sbin/haproxy"))("is taken by haproxy", () => {
    const { status, stderr } = spawnSync("/usr/sbin/haproxy", ["-c", "-q", "-f", "deploy/patroni/haproxy.cfg"])
    expect([status, String(stderr)]).toEqual([0, ""])
  })
})

describe("deploy/cloudnative-pg", () => {
  // The fields of the operator's interface that are used, as its reference describes them; others are refused.
  const Cluster = z.strictObject({
    apiVersion: z.literal("postgresql.cnpg.io/v1"),
    kind: z.literal("Cluster"),
    metadata: z.strictObject({ name: z.string().regex(/^[a-z][a-z0-9-]{0,49}$/) }),
    spec: z.strictObject({
      instances: z.int().min(1),
      bootstrap: z.strictObject({
        initdb: z.strictObject({
          database: z.string(),
          owner: z.string(),
          encoding: z.literal("UTF8"),
          localeCollate: z.string(),
          localeCType: z.string(),
          dataChecksums: z.boolean(),
        }),
      }),
      postgresql: z.strictObject({
        synchronous: z.strictObject({ method: z.enum(["any", "first"]), number: z.int().min(1) }),
        parameters: z.record(z.string(), z.string()),
      }),
      storage: z.strictObject({ size: z.string().regex(/^\d+Gi$/) }),
    }),
  })

  it("has a manifest of fields that there are, with a standby to spare", () => {
    const { spec } = Cluster.parse(parse(read("deploy/cloudnative-pg/cluster.yaml")))
    expect(spec.instances).toBeGreaterThan(spec.postgresql.synchronous.number + 1)
    expect(spec.postgresql.parameters.synchronous_commit).toBe("on")
  })
})

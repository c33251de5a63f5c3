import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ConfigError, readConfig } from "../../src/config/config.js"

/** The violations of an environment; none when it can be used. */
function violationsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.violations
    throw error
  }
}

const S3 = {
  S3_ENDPOINT: "http://localhost:9000/",
  S3_BUCKET: "files",
  S3_ACCESS_KEY_ID: "key",
  S3_SECRET_ACCESS_KEY: "secret",
}

describe("readConfig", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toEqual({
      environment: "development",
      host: "127.0.0.1",
      port: 4000,
      publicUrl: undefined,
      dataDir: resolve(".tandem"),
      databaseUrl: undefined,
      s3: undefined,
      s3PartSignature: "v2",
      redisUrl: undefined,
      workers: 1,
      defaultDialect: "spec",
      webhookAllowedNetworks: [],
      smtpUrl: undefined,
      mailFrom: "Tandem <tandem@localhost>",
      logLevel: "info",
      trustProxy: false,
      signUp: "open",
      passwordSignIn: true,
      quotas: {},
      introspection: true,
    })
  })

  it("takes every variable", () => {
    const config = readConfig({
      ...S3,
      NODE_ENV: "production",
      HOST: "::",
      PORT: "0",
      PUBLIC_URL: "https://tandem.example.org/base/",
      DATA_DIR: "/srv/tandem",
      DATABASE_URL: "postgresql://me:pw@db/tandem?sslmode=require",
      S3_REGION: "eu-central-1",
      S3_PART_SIGNATURE: "relay",
      REDIS_URL: "rediss://cache:6380/1",
      WORKERS: "4",
      DEFAULT_DIALECT: "wunderlist",
      WEBHOOK_ALLOWED_NETWORKS: "10.1.0.0/16, fd00::/8,192.0.2.7",
      SMTP_URL: "smtps://me:pw@mail.example.org",
      MAIL_FROM: "Lists <lists@example.org>",
      LOG_LEVEL: "debug",
      TRUST_PROXY: "loopback, 10.0.0.0/8",
      SIGN_UP: "closed",
      OIDC_ISSUER: "https://login.example.org/realms/lists/",
      OIDC_CLIENT_ID: "tandem",
      OIDC_CLIENT_SECRET: "secret",
      OIDC_NAME: "Example Login",
      OIDC_ALLOWED_GROUPS: "staff, guests",
      PASSWORD_SIGN_IN: "off",
      QUOTA_TASKS: "10000",
      QUOTA_LISTS: "0",
      QUOTA_FILES_BYTES: "999999999999999",
      INTROSPECTION: "true",
    })
    expect(config).toEqual({
      environment: "production",
      host: "::",
      port: 0,
      publicUrl: "https://tandem.example.org/base",
      dataDir: "/srv/tandem",
      databaseUrl: "postgresql://me:pw@db/tandem?sslmode=verify-full",
      s3: {
        endpoint: "http://localhost:9000",
        region: "eu-central-1",
        bucket: "files",
        accessKeyId: "key",
        secretAccessKey: "secret",
      },
      s3PartSignature: "relay",
      redisUrl: "rediss://cache:6380/1",
      workers: 4,
      defaultDialect: "wunderlist",
      webhookAllowedNetworks: ["10.1.0.0/16", "fd00::/8", "192.0.2.7/32"],
      smtpUrl: "smtps://me:pw@mail.example.org",
      mailFrom: "Lists <lists@example.org>",
      logLevel: "debug",
      trustProxy: ["loopback", "10.0.0.0/8"],
      signUp: "closed",
      identity: {
        issuer: "https://login.example.org/realms/lists/",
        clientId: "tandem",
        clientSecret: "secret",
        name: "Example Login",
        allowedGroups: ["staff", "guests"],
      },
      passwordSignIn: false,
      quotas: { tasks: 10_000, lists: 0, fileBytes: 999_999_999_999_999 },
      introspection: true,
    })
  })

  it("cannot be changed afterwards", () => {
    const config = readConfig({ ...S3, WEBHOOK_ALLOWED_NETWORKS: "10.0.0.0/8", TRUST_PROXY: "loopback" })
    for (const part of [config, config.s3, config.webhookAllowedNetworks, config.trustProxy])
      expect(Object.isFrozen(part)).toBe(true)
  })

  it("reads an empty or blank variable as unset", () => {
    expect(readConfig({ PORT: "", DATABASE_URL: "  ", S3_BUCKET: "" })).toEqual(readConfig({}))
  })

  it("lets only those sign up in production who were invited, unless it says otherwise", () => {
    expect(readConfig({ NODE_ENV: "production" }).signUp).toBe("invited")
    expect(readConfig({ NODE_ENV: "production", SIGN_UP: "open" }).signUp).toBe("open")
    expect(readConfig({ SIGN_UP: "invited" }).signUp).toBe("invited")
    expect(violationsOf({ SIGN_UP: "yes" })).toEqual(['SIGN_UP is "yes": it must be one of open, invited, closed'])
  })

  it("refuses introspection in production unless it is asked for", () => {
    expect(readConfig({ NODE_ENV: "production" }).introspection).toBe(false)
    expect(readConfig({ INTROSPECTION: "false" }).introspection).toBe(false)
  })

  it.each([
    ["true", true],
    ["false", false],
    ["2", 2],
  ])("reads TRUST_PROXY=%s as Express takes it", (text, value) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toBe(value)
  })

  it.each([
    ["600/60s", { limit: 600, windowMs: 60_000 }],
    ["5/15m", { limit: 5, windowMs: 900_000 }],
    ["100000/24h", { limit: 100_000, windowMs: 86_400_000 }],
  ])("reads RATE_LIMIT=%s as requests in a window", (text, value) => {
    expect(readConfig({ RATE_LIMIT: text }).rateLimit).toEqual(value)
  })

  it("starts at least one worker with WORKERS=auto", () => {
    expect(readConfig({ WORKERS: "auto" }).workers).toBeGreaterThanOrEqual(1)
  })

  it("names every violation at once, with what is wrong and what would be right", () => {
    expect(violationsOf({ PORT: "http", LOG_LEVEL: "loud", S3_PART_SIGNATURE: "v4" })).toEqual([
      'PORT is "http": it must be a whole number from 0 to 65535, such as 4000',
      'S3_PART_SIGNATURE is "v4": it must be one of v2, relay',
      'LOG_LEVEL is "loud": it must be one of fatal, error, warn, info, debug, trace, silent',
    ])
  })

  it("puts every violation into the message", () => {
    expect(() => readConfig({ PORT: "x", WORKERS: "0" })).toThrow(/PORT.*\n.*WORKERS/)
  })

  it.each([
    ["NODE_ENV", "staging"],
    ["HOST", "http://localhost"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "4000.5"],
    ["PORT", "4e3"],
    ["PORT", "0x10"],
    ["PUBLIC_URL", "tandem.example.org"],
    ["PUBLIC_URL", "https://tandem.example.org/?x=1"],
    ["DATABASE_URL", "mysql://localhost/tandem"],
    ["SMTP_URL", "https://mail.example.org"],
    ["MAIL_FROM", "Tandem"],
    ["DATABASE_URL", "localhost:5432"],
    ["DATABASE_URL", "postgresql://db/tandem?sslmode=allow"],
    ["DATABASE_URL", "postgresql://db/tandem?target_session_attrs=standby"],
    ["REDIS_URL", "http://localhost:6379"],
    ["WORKERS", "0"],
    ["WORKERS", "257"],
    ["DEFAULT_DIALECT", "Spec"],
    ["WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/33"],
    ["WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/8,,"],
    ["WEBHOOK_ALLOWED_NETWORKS", "localhost"],
    ["WEBHOOK_ALLOWED_NETWORKS", "10.0.0.0/8/8"],
    ["TRUST_PROXY", "yes"],
    ["RATE_LIMIT", "600"],
    ["RATE_LIMIT", "0/60s"],
    ["RATE_LIMIT", "600/60"],
    ["RATE_LIMIT", "600/25h"],
    ["METRICS_TOKEN", "short"],
    ["TRUST_PROXY", "0"],
    ["INTROSPECTION", "1"],
    ["QUOTA_TASKS", "-1"],
    ["QUOTA_LISTS", "many"],
    ["QUOTA_FILES_BYTES", "1e9"],
    ["QUOTA_FILES_BYTES", "1000000000000000"],
  ])("refuses %s=%s", (name, value) => {
    const violations = violationsOf({ [name]: value })
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatch(new RegExp(`^${name} .*must`))
  })

  it.each([
    ["postgresql://me:hunter2@db1:5432,db2:5432/tandem", /several hosts.*proxy.*haproxy/],
    ["postgresql://me:hunter2@db1,db2/tandem?target_session_attrs=read-write", /several hosts.*proxy.*haproxy/],
    ["postgresql://me:hunter2@db/tandem?schema=tandem", /another schema than public/],
    [
      "postgresql://me:hunter2@db/tandem?options=-c%20search_path%3Dtandem",
      /the parameter options, which has no effect/,
    ],
    ["postgresql://me:hunter2@db/tandem?pgbouncer=true", /the parameter pgbouncer, which has no effect/],
    ["postgresql://me:hunter2@db/tandem?sslmode=disable&sslmode=require", /sslmode more than once/],
  ])("takes no %s: what has no effect is not left out silently", (url, sentence) => {
    const violations = violationsOf({ DATABASE_URL: url })
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatch(/^DATABASE_URL /)
    expect(violations[0]).toMatch(sentence)
    expect(violations[0]).not.toContain("hunter2")
  })

  it("takes the parameters that hold in any case, and TLS as the driver means it", () => {
    const taken = (query: string) => readConfig({ DATABASE_URL: `postgresql://me:p%40w@db/tandem${query}` }).databaseUrl
    expect(taken("?schema=public&target_session_attrs=read-write")).toBe("postgresql://me:p%40w@db/tandem")
    expect(taken("?sslmode=no-verify")).toBe("postgresql://me:p%40w@db/tandem?sslmode=no-verify")
    for (const mode of ["prefer", "require", "verify-ca", "verify-full"])
      expect(taken(`?sslmode=${mode}`)).toBe("postgresql://me:p%40w@db/tandem?sslmode=verify-full")
    expect(taken("?sslmode=require&uselibpqcompat=true")).toContain("?sslmode=require&uselibpqcompat=true")
  })

  it("shows no password", () => {
    const violations = violationsOf({ DATABASE_URL: "mysql://me:hunter2@db/x", REDIS_URL: "http://:hunter2@cache" })
    expect(violations).toHaveLength(2)
    expect(violations.join()).not.toContain("hunter2")
  })

  it.each(Object.keys(S3))("wants %s when the rest of the S3 settings is there", (missing) => {
    const violations = violationsOf({ ...S3, [missing]: undefined })
    expect(violations).toHaveLength(1)
    expect(violations[0]).toMatch(new RegExp(`^${missing} is not set: it must be set too`))
  })

  describe("of an OpenID provider", () => {
    const OIDC = { OIDC_ISSUER: "https://login.example.org", OIDC_CLIENT_ID: "tandem", OIDC_CLIENT_SECRET: "hunter2" }

    it("takes its host for its name, and http on this machine", () => {
      expect(readConfig(OIDC).identity?.name).toBe("login.example.org")
      for (const OIDC_ISSUER of ["http://localhost:8080/realms/a", "http://127.0.0.1:1", "http://[::1]:1"])
        expect(readConfig({ ...OIDC, OIDC_ISSUER }).identity?.issuer).toBe(OIDC_ISSUER)
    })

    it.each(Object.keys(OIDC))("wants %s when another part is there", (missing) => {
      const violations = violationsOf({ ...OIDC, [missing]: undefined, PASSWORD_SIGN_IN: "on" })
      expect(violations).toEqual([expect.stringMatching(new RegExp(`^${missing} is not set: it must be when one of`))])
    })

    it("wants the rest with a name or groups alone", () => {
      for (const alone of [{ OIDC_NAME: "Example" }, { OIDC_ALLOWED_GROUPS: "staff" }])
        expect(violationsOf(alone)).toHaveLength(3)
    })

    it.each([
      ["OIDC_ISSUER", "http://login.example.org"],
      ["OIDC_ISSUER", "http://localhost.example.org"],
      ["OIDC_ISSUER", "login.example.org"],
      ["OIDC_ISSUER", "https://me:pw@login.example.org"],
      ["OIDC_ISSUER", "https://login.example.org/?realm=a"],
      ["OIDC_NAME", "n".repeat(61)],
      ["OIDC_ALLOWED_GROUPS", "staff,,guests"],
      ["PASSWORD_SIGN_IN", "no"],
    ])("refuses %s=%s", (name, value) => {
      expect(violationsOf({ ...OIDC, [name]: value })).toEqual([
        expect.stringMatching(new RegExp(`^${name} is ".*": it must`)),
      ])
    })

    it("refuses to take no passwords where there is none", () => {
      expect(violationsOf({ PASSWORD_SIGN_IN: "off" })).toEqual([
        expect.stringMatching(/^PASSWORD_SIGN_IN is "off": then nobody could sign in\. Set OIDC_ISSUER/),
      ])
    })
  })

  it("explains in .env.example every variable it reads", () => {
    const explained = [...readFileSync(".env.example", "utf8").matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name)
    const read = readdirSync("src/config").flatMap((file) =>
      [...readFileSync(join("src/config", file), "utf8").matchAll(/^ {2}([A-Z0-9_]+): /gm)].map(([, name]) => name),
    )
    expect(read.length).toBeGreaterThan(15)
    expect(explained.sort()).toEqual(read.sort())
  })
})

describe("a file .env in the working directory", () => {
  const before = { cwd: process.cwd(), env: { ...process.env } }
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tandem-config-"))
    process.chdir(folder)
  })
  afterEach(() => {
    process.chdir(before.cwd)
    for (const name of ["PORT", "HOST", "LOG_LEVEL"]) delete process.env[name]
    Object.assign(process.env, before.env)
    rmSync(folder, { recursive: true })
  })

  it("completes the environment, which wins", () => {
    writeFileSync(".env", "PORT=4001\nHOST=0.0.0.0 # everywhere\nLOG_LEVEL='warn'\n")
    process.env.PORT = "4002"
    expect(readConfig()).toMatchObject({ port: 4002, host: "0.0.0.0", logLevel: "warn" })
  })

  it("is not needed", () => {
    expect(readConfig()).toMatchObject({ dataDir: resolve(".tandem") })
  })

  it("that cannot be read is a violation", () => {
    mkdirSync(".env")
    expect(() => readConfig()).toThrow(/\.env cannot be read: /)
  })

  it("has no effect on an environment that is passed", () => {
    writeFileSync(".env", "PORT=4001\n")
    expect(readConfig({}).port).toBe(4000)
  })
})

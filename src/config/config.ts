import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { z } from "zod"
import { type IdentityConfig, identityConfig, identityVariables, violationsOfIdentity } from "./identity-config.js"
import { type Quotas, quotasOf, quotaVariables } from "./quota-config.js"
import { missingS3, type S3Config, s3Config } from "./s3-config.js"
import {
  address,
  areProxies,
  asNetwork,
  choice,
  flag,
  integer,
  isNetwork,
  list,
  PROXIES,
  postgresAddress,
  rate,
  share,
  webAddress,
} from "./values.js"

/** Everything that can be set from outside, checked and frozen. `.env.example` explains each variable. */
export type Config = {
  readonly environment: "development" | "production" | "test"
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Where clients reach the service, without a slash at the end. Unset: the address on which it listens. */
  readonly publicUrl: string | undefined
  /** Absolute path of the folder that holds the embedded database and object store. */
  readonly dataDir: string
  /** Unset: an embedded PostgreSQL below `dataDir`. */
  readonly databaseUrl: string | undefined
  /** Unset: an embedded object store below `dataDir`. */
  readonly s3: S3Config | undefined
  /** Whether clients send parts to the S3 store itself, or to the node, which passes them on. */
  readonly s3PartSignature: "v2" | "relay"
  /** Carries the wake-up notifications between nodes. Unset: PostgreSQL does. */
  readonly redisUrl: string | undefined
  /** Processes that serve requests. */
  readonly workers: number
  /** The dialect of applications that are made without naming one. */
  readonly defaultDialect: "spec" | "wunderlist"
  /** CIDRs that webhooks may reach although they are private. */
  readonly webhookAllowedNetworks: readonly string[]
  /** The mail server. Unset: mails are printed to the log. */
  readonly smtpUrl: string | undefined
  /** Whom mails are from. */
  readonly mailFrom: string
  readonly logLevel: "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent"
  /** As Express takes it: false, true, a number of proxies, or their addresses. */
  readonly trustProxy: boolean | number | readonly string[]
  /** Where traces go, as OpenTelemetry names it. Unset: there are none. */
  readonly tracing: TracingConfig | undefined
  /** How much each user, or network of strangers, may request in a window of time. Unset: no limit. */
  readonly rateLimit: { readonly limit: number; readonly windowMs: number } | undefined
  /** The token that scrapers of `/metrics` must send. Unset: it answers this machine alone. */
  readonly metricsToken: string | undefined
  /** Who can sign up on the pages: anybody, people who were invited to a list, or nobody. */
  readonly signUp: "open" | "invited" | "closed"
  /** Where people sign in by OpenID Connect. Unset: with passwords alone. */
  readonly identity: IdentityConfig | undefined
  /** Whether people sign in and sign up with passwords. */
  readonly passwordSignIn: boolean
  readonly quotas: Quotas
  /** Whether clients may ask for the schema. */
  readonly introspection: boolean
}

export type TracingConfig = {
  /** A collector that takes OTLP over HTTP. */
  readonly endpoint: string
  readonly serviceName: string
  readonly sampler: (typeof SAMPLERS)[number]
  /** The share of traces that samplers with a ratio take: 0 to 1. */
  readonly ratio: number
}

/** Says of every variable that cannot be used what is wrong with it and what would be right. */
export class ConfigError extends Error {
  override readonly name = "ConfigError"

  /** @param violations one sentence each, beginning with the variable's name */
  constructor(readonly violations: readonly string[]) {
    super(`These settings cannot be used:\n${violations.map((fault) => `  ${fault}`).join("\n")}`)
  }
}

const SAMPLERS = [
  ...(["always_on", "always_off", "traceidratio"] as const),
  ...(["parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"] as const),
] as const

// Their values must not end up in a log.
const SECRET = new Set([
  "DATABASE_URL",
  "REDIS_URL",
  "SMTP_URL",
  "S3_ACCESS_KEY_ID",
  "S3_SECRET_ACCESS_KEY",
  "METRICS_TOKEN",
  "OIDC_CLIENT_SECRET",
])

const variables = z.object({
  NODE_ENV: choice(["development", "production", "test"]).default("development"),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, { error: "must be an address or a name, such as 127.0.0.1" })
    .default("127.0.0.1"),
  PORT: integer(0, 65_535, "4000").default(4000),
  PUBLIC_URL: webAddress("https://tandem.example.org").optional(),
  DATA_DIR: z.string().default(".tandem"),
  DATABASE_URL: postgresAddress("postgresql://user:password@localhost:5432/tandem").optional(),
  S3_ENDPOINT: webAddress("https://s3.example.org").optional(),
  S3_REGION: z.string().default("us-east-1"),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, {
      error: "must have 3 to 63 of a-z, 0-9, dot and hyphen, such as tandem-files",
    })
    .optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PART_SIGNATURE: choice(["v2", "relay"]).default("v2"),
  REDIS_URL: address(["redis", "rediss"], "redis://localhost:6379").optional(),
  WORKERS: z
    .union([z.literal("auto").transform(() => availableParallelism()), integer(1, 256, "1")], {
      error: "must be a whole number from 1 to 256, or auto for one per core",
    })
    .default(1),
  DEFAULT_DIALECT: choice(["spec", "wunderlist"]).default("spec"),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .transform(list)
    .refine((items) => items.every(isNetwork), {
      error: "must be networks with commas between them, such as 10.1.0.0/16,fd00::/8",
    })
    .transform((items) => items.map(asNetwork))
    .default([]),
  SMTP_URL: address(["smtp", "smtps"], "smtps://user:password@mail.example.org").optional(),
  MAIL_FROM: z
    .string()
    .regex(/^([^<>"\r\n]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/, {
      error: "must be an address, such as Tandem <tandem@example.org>",
    })
    .optional(),
  LOG_LEVEL: choice(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  TRUST_PROXY: z
    .union([flag, integer(1, 100, "1"), z.string().transform(list).refine(areProxies, { error: PROXIES })])
    .default(false),
  RATE_LIMIT: rate("600/60s").optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress("http://localhost:4318").optional(),
  OTEL_SERVICE_NAME: z.string().default("tandem"),
  OTEL_TRACES_SAMPLER: choice(SAMPLERS).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: share("0.1").default(1),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,}$/, {
      error: "must have at least 16 letters, digits or -._~+/=, as from: openssl rand -hex 20",
    })
    .optional(),
  SIGN_UP: choice(["open", "invited", "closed"]).optional(),
  ...identityVariables,
  ...quotaVariables,
  INTROSPECTION: flag.optional(),
})

/** Adds what a file `.env` in the working directory sets and the real environment does not. */
function loadedEnvironment(): NodeJS.ProcessEnv {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env")
  } catch (error) {
    throw new ConfigError([`.env cannot be read: ${(error as Error).message}`])
  }
  return process.env
}

/**
 * Reads all settings. A variable that is empty or blank counts as unset.
 * @param env a test passes its own; by default the environment of the process, completed by `.env`
 * @throws ConfigError that lists every fault at once
 */
export function readConfig(env: NodeJS.ProcessEnv = loadedEnvironment()): Config {
  const entries = Object.entries(env).map(([name, value]) => [name, value?.trim()])
  const known: Record<string, string> = Object.fromEntries(entries.filter(([, value]) => value))
  const { data, error } = variables.safeParse(known)
  const violations = (error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0])
    return `${name} ${SECRET.has(name) ? "" : `is ${JSON.stringify(known[name])}: it `}${issue.message}`
  })
  violations.push(...missingS3(known), ...violationsOfIdentity(known))
  if (!data || violations.length > 0) throw new ConfigError(violations)

  return Object.freeze({
    environment: data.NODE_ENV,
    host: data.HOST,
    port: data.PORT,
    publicUrl: data.PUBLIC_URL,
    dataDir: resolve(data.DATA_DIR),
    databaseUrl: data.DATABASE_URL,
    s3: s3Config(data),
    s3PartSignature: data.S3_PART_SIGNATURE,
    redisUrl: data.REDIS_URL,
    workers: data.WORKERS,
    defaultDialect: data.DEFAULT_DIALECT,
    webhookAllowedNetworks: Object.freeze(data.WEBHOOK_ALLOWED_NETWORKS),
    smtpUrl: data.SMTP_URL,
    mailFrom: data.MAIL_FROM ?? `Tandem <tandem@${new URL(data.PUBLIC_URL ?? "http://localhost").hostname}>`,
    logLevel: data.LOG_LEVEL,
    trustProxy: typeof data.TRUST_PROXY === "object" ? Object.freeze(data.TRUST_PROXY) : data.TRUST_PROXY,
    tracing: data.OTEL_EXPORTER_OTLP_ENDPOINT
      ? Object.freeze({
          endpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
          serviceName: data.OTEL_SERVICE_NAME,
          sampler: data.OTEL_TRACES_SAMPLER,
          ratio: data.OTEL_TRACES_SAMPLER_ARG,
        })
      : undefined,
    rateLimit: data.RATE_LIMIT && Object.freeze(data.RATE_LIMIT),
    metricsToken: data.METRICS_TOKEN,
    signUp: data.SIGN_UP ?? (data.NODE_ENV === "production" ? "invited" : "open"),
    identity: identityConfig(data),
    passwordSignIn: data.PASSWORD_SIGN_IN === "on",
    quotas: quotasOf(data),
    introspection: data.INTROSPECTION ?? data.NODE_ENV !== "production",
  })
}

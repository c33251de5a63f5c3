import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { DCLinter } from "dclint"
import { validate } from "dockerfile-utils"
import { Deployment } from "kubernetes-models/apps/v1/Deployment"
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler"
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress"
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy"
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget"
import { ConfigMap } from "kubernetes-models/v1/ConfigMap"
import { Service } from "kubernetes-models/v1/Service"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { readConfig } from "../../src/config/config.js"

// No container engine runs here, so what can be checked of these files without one is.

const read = (path: string) => readFileSync(path, "utf8")
const manifest = JSON.parse(read("package.json"))
const settings = new Set([...read(".env.example").matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name))

/** Runs a probe's command against a server on which only one path answers 200; gives its exit code. */
async function exitCodeOf([program, ...words]: string[], healthy: string): Promise<number> {
  const server = createServer(({ url }, response) => response.writeHead(url === healthy ? 200 : 503).end())
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  try {
    const args = words.map((word) => word.replace(":4000/", `:${port}/`))
    await promisify(execFile)(program as string, args, { env: { ...process.env, PORT: String(port) } })
    return 0
  } catch (error) {
    return Number((error as { code: number }).code)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe("Dockerfile", () => {
  const text = read("Dockerfile")
  const instructions = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => ({ name: line.split(" ", 1)[0] as string, rest: line.slice(line.indexOf(" ") + 1).trim() }))
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"))
  const only = (name: string) => {
    const found = last.filter((instruction) => instruction.name === name)
    expect([name, found.length]).toEqual([name, 1])
    return found[0]?.rest as string
  }
  const copies = (of: typeof instructions) =>
    of
      .filter(({ name }) => name === "COPY")
      .map(({ rest }) => rest.split(/\s+/).filter((word) => !word.startsWith("--")))

  it("has nothing that a linter finds fault with", () => {
    expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([])
  })

  it("runs as a user without rights, ends at SIGTERM, and installs what runs and no tools", () => {
    expect(only("USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    expect(only("STOPSIGNAL")).toBe("SIGTERM")
    // As `npm start` does, so that answers cost the same.
    expect(JSON.parse(only("CMD"))).toEqual(["node", "--max-semi-space-size=64", "dist/main.js"])
    expect(manifest.scripts.start).toContain(" --max-semi-space-size=64 dist/main.js")
    expect(only("VOLUME")).toBe("/data")
    expect(last.some(({ name, rest }) => name === "RUN" && rest.includes("npm"))).toBe(false)
    const installs = instructions.filter(({ rest }) => rest.includes("npm ci --omit=dev"))
    expect(installs).toHaveLength(1)
  })

  it("asks the node how it is", async () => {
    const command = JSON.parse(only("HEALTHCHECK").replace(/^.*?CMD /, ""))
    expect(await exitCodeOf(command, "/healthz")).toBe(0)
    expect(await exitCodeOf(command, "/nothing")).toBe(1)
  })

  it("has all that the package has, by way of what .dockerignore lets through", () => {
    const [everything, ...lines] = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
    expect([everything, lines.filter((line) => !line.startsWith("!"))]).toEqual(["*", ["src/generated"]])
    const isLet = (path: string) => lines.some((line) => line === `!${path}` || `!${path}`.startsWith(`${line}/`))
    const packed = manifest.files.filter((file: string) => !/^(!|dist\b)/.test(file))
    const copied = copies(instructions.filter(({ rest }) => !rest.startsWith("--from="))).flatMap((words) => words.slice(0, -1)) // biome-ignore format: one statement
    for (const path of new Set([...packed, ...copied, "src", "tsconfig.json", "prisma/schema.prisma"]))
      if (path !== ".") expect([path, existsSync(path), isLet(path)]).toEqual([path, true, true])
    expect(copies(last)).toEqual([
      ["/app/node_modules", "node_modules"],
      ["/app/package", "./"],
    ])
  })

  it("sets what the service reads", () => {
    const env = Object.fromEntries(
      only("ENV")
        .split(/\s+/)
        .map((pair) => pair.split("=")),
    )
    const { NODE_OPTIONS: _, ...ours } = env
    expect([...settings]).toEqual(expect.arrayContaining(Object.keys(ours)))
    expect(readConfig(env)).toMatchObject({ environment: "production", host: "0.0.0.0", port: 4000, dataDir: "/data" })
  })
})

describe("docs/guide", () => {
  const pages = readdirSync("docs/guide").map((name) => ({ name, text: read(join("docs/guide", name)) }))

  it("has a table of settings that there are, and leads to files that are there", () => {
    const [, table = ""] = /## What to set\n\n(.*?)\n\n/s.exec(read("docs/guide/running-in-production.md")) ?? []
    const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/[A-Z][A-Z0-9_]+/g) ?? [])
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !settings.has(name))).toEqual([])
    for (const { name, text } of pages)
      for (const [, target = ""] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
        expect([name, target, existsSync(join("docs/guide", target))]).toEqual([name, target, true])
  })

  it("starts the image as the Dockerfile says", () => {
    const command = /docker run [^`]*tandem(?=`)/.exec(read("docs/guide/running-in-production.md"))?.[0]
    expect(command).toBeDefined()
    expect(read("Dockerfile")).toContain(command)
  })
})

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"))
  const services = Object.entries<any>(compose.services)

  it("has nothing that a linter finds fault with", () => {
    const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] })
    const files: { messages: { line: number; message: string }[] }[] = linter.lintFiles(["compose.yaml"], false)
    const found = files.flatMap(({ messages }) => messages)
    expect(found.map(({ line, message }) => `${line}: ${message}`)).toEqual([])
  })

  it.each(services)("gives %s no right that it does not need, and looks after it", (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
      healthcheck: { test: expect.arrayContaining(["CMD"]) },
    })
  })

  it("opens Tandem alone, and to this machine", () => {
    expect(services.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(["tandem"])
    expect(compose.services.tandem.ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:/)])
    expect(compose.networks.backend).toEqual({ internal: true })
  })

  it("names no secret, and settings that the service takes", () => {
    const set = (environment: Record<string, string>, given: Record<string, string> = {}) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          value.replace(/\$\{(\w+)(:[-?]([^}]*))?\}/g, (_, variable, sign, fallback) => given[variable] ?? (sign?.startsWith(":-") ? fallback : `<${variable}>`)), // biome-ignore format: one expression
        ]),
      )
    for (const [, { environment = {} }] of services)
      for (const [name, value] of Object.entries<string>(environment))
        if (/PASSWORD|SECRET|KEY/.test(name)) expect(value).toMatch(/^\$\{\w+:[-?]/)
    const { environment } = compose.services.tandem
    expect([...settings]).toEqual(expect.arrayContaining(Object.keys(environment)))
    expect(readConfig(set(environment, { POSTGRES_PASSWORD: "abc" }))).toMatchObject({
      databaseUrl: "postgresql://tandem:abc@postgres:5432/tandem",
      publicUrl: "http://localhost:4000",
      redisUrl: "redis://redis:6379",
      s3: undefined,
    })
    expect(set(environment).DATABASE_URL).toContain("<POSTGRES_PASSWORD>") // without it, Compose does not start
  })

  it("asks the node whether it can serve", async () => {
    const [, ...command] = compose.services.tandem.healthcheck.test
    expect(await exitCodeOf(command, "/readyz")).toBe(0)
    expect(await exitCodeOf(command, "/healthz")).toBe(1)
  })
})

describe("deploy/kubernetes", () => {
  const FOLDER = "deploy/kubernetes"
  const KINDS = { ConfigMap, Deployment, HorizontalPodAutoscaler, Ingress, NetworkPolicy, PodDisruptionBudget, Service }
  const kustomization = parse(read(`${FOLDER}/kustomization.yaml`))
  const resources = (kustomization.resources as string[]).map((file) => parse(read(`${FOLDER}/${file}`)))
  const one = (kind: keyof typeof KINDS) => resources.find((resource) => resource.kind === kind)
  const pod = one("Deployment").spec.template
  const [container] = pod.spec.containers

  /** Faults of a manifest. The checker reads what the API knows, so that what it never reads is no field. */
  function faultsOf(resource: any): string[] {
    const unread = new Set<string>()
    const standIn = (real: object, path: string): object => {
      for (const key of Object.keys(real)) unread.add(`${path}/${key}`)
      return new Proxy(real, {
        get(target, key) {
          unread.delete(`${path}/${String(key)}`)
          const member = Reflect.get(target, key)
          return typeof member === "object" && member !== null ? standIn(member, `${path}/${String(key)}`) : member
        },
      })
    }
    const Kind = KINDS[resource.kind as keyof typeof KINDS]
    try {
      const { apiVersion, kind, ...rest } = resource
      const model: any = new Kind({} as any)
      for (const [key, value] of Object.entries(rest)) model[key] = standIn(value as object, key)
      model.validate()
      if (apiVersion !== Kind.apiVersion || kind !== Kind.kind) return [`${apiVersion} ${kind} is not known`]
    } catch (error) {
      return [(error as Error).message]
    }
    return [...unread].map((path) => `${path} is no field`)
  }

  it("names every manifest", () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".yaml") && file !== "kustomization.yaml")
    expect([...kustomization.resources].sort()).toEqual(files.sort())
  })

  it.each(resources.map((resource) => [resource.kind, resource]))("has a %s that the API takes", (_kind, resource) => {
    expect(faultsOf(resource)).toEqual([])
    expect(resource.metadata.name).toBe("tandem")
  })

  it("would see a field that there is not, and one of a wrong type", () => {
    const deployment = structuredClone(one("Deployment"))
    Object.assign(deployment.spec.template.spec.containers[0], { imagePulPolicy: "Always" })
    expect(faultsOf(deployment)).toEqual(["spec/template/spec/containers/0/imagePulPolicy is no field"])
    deployment.spec.template.spec.terminationGracePeriodSeconds = "30s"
    expect(faultsOf(deployment)).toEqual([expect.stringContaining("terminationGracePeriodSeconds")])
  })

  it("points from one to the other by names that are there", () => {
    const labels = { "app.kubernetes.io/name": "tandem" }
    expect(pod.metadata.labels).toEqual(labels)
    for (const selected of [
      one("Deployment").spec.selector.matchLabels,
      one("Service").spec.selector,
      one("PodDisruptionBudget").spec.selector.matchLabels,
      one("NetworkPolicy").spec.podSelector.matchLabels,
    ])
      expect(selected).toEqual(labels)
    const ports = container.ports.map(({ name }: any) => name)
    expect(ports).toContain(one("Service").spec.ports[0].targetPort)
    expect(ports).toContain(one("NetworkPolicy").spec.ingress[0].ports[0].port)
    const { service } = one("Ingress").spec.rules[0].http.paths[0].backend
    expect([service.name, service.port.name]).toEqual([one("Service").metadata.name, one("Service").spec.ports[0].name])
    expect(one("HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe(one("Deployment").metadata.name)
    expect(one("Deployment").spec.replicas).toBeUndefined() // or each rollout would undo what the autoscaler did
    expect(kustomization.images.map(({ name }: any) => name)).toEqual([container.image])
    expect(kustomization.images[0].newTag).toBe(manifest.version)
  })

  it("gives a node no right that it does not need, and only /data and /tmp to write to", () => {
    expect(pod.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    })
    expect(container.volumeMounts.map(({ mountPath }: any) => mountPath)).toEqual(["/data", "/tmp"])
    expect(pod.spec.volumes.map(({ name }: any) => name)).toEqual(container.volumeMounts.map(({ name }: any) => name))
    expect(`${pod.spec.securityContext.runAsUser}:${pod.spec.securityContext.runAsGroup}`).toBe(
      /^USER (.*)$/m.exec(read("Dockerfile"))?.[1],
    )
  })

  it("sends requests to ready nodes, restarts nodes that do not answer, and gives stopping nodes the time to", () => {
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe.httpGet.path)).toEqual([
      "/healthz",
      "/healthz", // not /readyz: a database that is away is no reason to restart anything
      "/readyz",
    ])
    // A node that waits for another's migrations waits for up to 120 s.
    expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThan(120)
    const [, before] = /setTimeout\(\(\) => \{\}, ([\d_]+)\)/.exec(lifecycle.preStop.exec.command[2]) ?? []
    const drainMs = Number(
      /DRAIN_DEADLINE_MS = ([\d_]+)/.exec(read("src/transports/http/drain.ts"))?.[1]?.replaceAll("_", ""),
    )
    const preStopMs = Number(before?.replaceAll("_", ""))
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(preStopMs + 2 * drainMs)
    expect(one("PodDisruptionBudget").spec.maxUnavailable).toBeLessThan(one("HorizontalPodAutoscaler").spec.minReplicas)
  })

  it("sets what the service takes, and keeps secrets out of the manifests", () => {
    const { data } = one("ConfigMap")
    const example = read(`${FOLDER}/settings.secret.env.example`).trim().split("\n")
    const secret = Object.fromEntries(example.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])) // biome-ignore format: one statement
    expect([...settings]).toEqual(expect.arrayContaining([...Object.keys(data), ...Object.keys(secret)]))
    const filled = { ...data, ...secret, S3_ACCESS_KEY_ID: "key", S3_SECRET_ACCESS_KEY: "secret" }
    expect(readConfig(filled)).toMatchObject({
      publicUrl: `https://${one("Ingress").spec.rules[0].host}`,
      trustProxy: 1,
    })
    // What nobody filled in is said, and no password stands for it.
    expect(() => readConfig({ ...data, ...secret })).toThrow("S3_SECRET_ACCESS_KEY is not set")
    expect(container.envFrom).toEqual([{ configMapRef: { name: "tandem" } }, { secretRef: { name: "tandem" } }])
    expect(read(".gitignore")).toContain("*.secret.env\n")
  })
})

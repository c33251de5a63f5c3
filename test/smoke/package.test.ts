import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blocksOf } from "../examples/readme.js"
import { buildServer } from "../support/built-server.js"
import { freePort } from "../support/free-port.js"

const MAX_BYTES = 2_000_000
const READY_TIMEOUT_MS = 60_000
/** The account `nobody`: the one that every Linux has. As root it stands for an ordinary user; others are one. */
const NOBODY = 65_534
const asOrdinary = process.getuid?.() === 0 && isOpenToAll(resolve(".")) ? { uid: NOBODY, gid: NOBODY } : {}

const manifest = JSON.parse(readFileSync("package.json", "utf8"))
const place = mkdtempSync(join(tmpdir(), "tandem-package-"))
const home = join(place, "home")
/** What README says to type, and the folder in it. */
const [packing = "", installing = "", starting = ""] = linesOfReadme()
const folder = join(home, "tandem")
const modules = join(folder, "node_modules")
const installed = join(modules, manifest.name)
let packed: { size: number; filename: string; files: { path: string }[] }
let running: ChildProcess | undefined

/** Whether everybody can come this far: in a checkout below /root nobody else can start what lies there. */
function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)))
}

/** The lines of README that pack, install and start, without what they say behind `#`. */
function linesOfReadme(): string[] {
  const block = blocksOf(readFileSync("README.md", "utf8")).find(({ text }) => text.startsWith("npm pack"))
  return (block?.text ?? "").trim().split("\n").map((line) => line.replace(/ +#.*/, "")) // biome-ignore format: one expression
}

beforeAll(() => {
  buildServer()
  const pack = `${packing} --ignore-scripts --json --pack-destination ${place}`
  ;[packed] = JSON.parse(execFileSync("sh", ["-c", pack], { encoding: "utf8" }))
  // As npm installs it there, but that its dependencies, and they alone, are those that are here already.
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", join(place, packed.filename), "-C", installed, "--strip-components=1"])
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(resolve("node_modules", name), join(modules, name))
  }
  mkdirSync(join(modules, ".bin"))
  for (const [name, file] of Object.entries<string>(manifest.bin)) {
    chmodSync(join(installed, file), 0o755)
    symlinkSync(relative(join(modules, ".bin"), join(installed, file)), join(modules, ".bin", name))
  }
  chmodSync(place, 0o755)
  if ("uid" in asOrdinary) for (const own of [home, folder]) chownSync(own, NOBODY, NOBODY)
}, 180_000)

afterAll(() => {
  try {
    process.kill(-(running?.pid ?? Number.NaN), "SIGKILL")
  } catch {
    // It has ended, as it should.
  }
  rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

describe("npm pack", () => {
  it(`gives less than ${MAX_BYTES} bytes, with what runs and no sources, tests, pictures or secrets`, () => {
    expect(packed.size).toBeLessThan(MAX_BYTES)
    const paths = packed.files.map(({ path }) => path)
    for (const path of [
      ...Object.values<string>(manifest.bin),
      "dist/main.js",
      "schema.graphql",
      "openapi.json",
      "dist/client/client.js",
      "dist/client/client.js.map",
      "LICENSE",
    ])
      expect(paths).toContain(path)
    const unwanted =
      /^(test|scripts|docs\/images|node_modules|\.(?!env\.example$)|.*\.env$)|^(?!examples\/).*(?<!\.d)\.ts$/
    expect(paths.filter((path) => unwanted.test(path))).toEqual([])
    expect(paths.filter((path) => path.endsWith("/migration.sql"))).not.toEqual([])
  })
})

describe("tandem-gateway/client of the package", () => {
  const client = join(installed, "dist/client")

  it("is one module of at most 20 KB packed, with types, sources for debuggers, and a README", () => {
    const module = readFileSync(join(client, "client.js"))
    expect(gzipSync(module).length).toBeLessThanOrEqual(20 * 1024)
    expect(module.toString()).not.toMatch(/(?:^|[;}])\s*import\b/m)
    const { sourcesContent } = JSON.parse(readFileSync(join(client, "client.js.map"), "utf8"))
    expect(sourcesContent.join("")).toContain("export function createClient")
    expect(readFileSync(join(client, "README.md"), "utf8")).toContain(`# ${manifest.name}/client`)
    const program = `console.log(Object.keys(await import("${manifest.name}/client")).sort().join())`
    const args = ["--input-type=module", "-e", program]
    const names = execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
    expect(names.trim()).toBe("createClient,indexedDbStore,memoryStore,smartLists")
  })

  it("has types that hold, without those of a browser too", () => {
    writeFileSync(
      join(folder, "use.ts"),
      `import { type Client, createClient, type Task } from "${manifest.name}/client"
       const client: Client = createClient({ url: "", headers: () => ({}) })
       const tasks: readonly Task[] = client.view.tasks(1)
       client.update("task", tasks[0]!.id, { due_date: null, title: "x" })
       // @ts-expect-error -- a task has no such member
       client.update("task", 1, { colour: "red" })\n`,
    )
    const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2023"]
    const types = ["--types", "node", "--typeRoots", resolve("node_modules/@types")]
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), ...strict, ...types, "use.ts"], {
      cwd: folder,
    })
  }, 180_000)
})

describe("README's way from a checkout to a node elsewhere", () => {
  const guide = readFileSync("docs/guide/running-in-production.md", "utf8")

  it("installs the file that packing makes, where it is started, and the guide says the same", () => {
    expect(packing).toBe("npm pack")
    expect(installing).toBe(`npm install --prefix ~/tandem ./${packed.filename}`)
    expect(starting).toBe(`cd ~/tandem && npx ${manifest.name}`)
    const settings = "NODE_OPTIONS=--max-semi-space-size=64"
    expect(guide).toContain(
      `\`${packing}\` in a checkout, \`${installing}\`, then \`${settings} npx ${manifest.name}\` in \`~/tandem\``,
    )
  })

  it("is the only way to it: nothing names the package where it is not installed", () => {
    const pages = ["README.md", ...readdirSync("docs/guide").map((name) => join("docs/guide", name))]
    for (const page of pages)
      for (const line of readFileSync(page, "utf8")
        .split("\n")
        .filter((line) => line.includes(`npx ${manifest.name}`)))
        expect([page, line]).toEqual([page, expect.stringMatching(/~\/tandem|installed package/)])
  })
})

describe("npx tandem-gateway where it is installed, as an ordinary user", () => {
  it("does what npm start does: starts, says how to begin, answers, and keeps its data there", async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { PATH } = process.env
    const env = { PATH, HOME: home, PORT: new URL(url).port, npm_config_cache: join(home, "npm"), npm_config_offline: "true" } // biome-ignore format: one statement
    const node = spawn("sh", ["-c", starting], { cwd: place, env, detached: true, ...asOrdinary })
    running = node
    let output = ""
    for (const stream of [node.stdout, node.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text
      })
    for (const startedAt = Date.now(); !output.includes("Ctrl+C"); await sleep(50))
      if (node.exitCode !== null || Date.now() - startedAt > READY_TIMEOUT_MS) throw new Error(`not ready:\n${output}`)

    const [, curl = ""] = /^ {2}(curl .*tasks\?list_id=\d+')$/m.exec(output) ?? []
    const tasks = JSON.parse(execFileSync("sh", ["-c", `${curl} --silent --fail`], { encoding: "utf8" }))
    expect(tasks.map(({ title }: { title: string }) => title)).toContain("Read the README")
    // What it serves lies in the package, or is made by what it depends on.
    for (const path of [
      "/",
      "/graphql",
      "/docs",
      "/docs/errors/not_found",
      "/docs/openapi.json",
      "/schema.graphql",
      "/avatars/1.png",
    ]) {
      const { status } = await fetch(`${url}${path}`, { headers: { Accept: "text/html,*/*" } })
      expect([path, status]).toEqual([path, 200])
    }
    expect(existsSync(join(folder, ".tandem"))).toBe(true)
    const tandem = join(modules, ".bin", "tandem")
    expect(execFileSync(tandem, ["--version"], { encoding: "utf8" }).trim()).toBe(manifest.version)

    const pidOfPostgres = join(folder, ".tandem/postgres/data/postmaster.pid")
    expect(existsSync(pidOfPostgres)).toBe(true)
    process.kill(-(node.pid as number), "SIGTERM")
    // npx need not wait for what it started.
    await expect.poll(() => existsSync(pidOfPostgres), { timeout: 20_000 }).toBe(false)
    await expect.poll(() => fetch(`${url}/healthz`).catch(() => "gone"), { timeout: 20_000 }).toBe("gone")
  }, 90_000)
})

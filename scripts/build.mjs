// Brings the generated database client and dist/ up to date; says nothing unless it fails.
//   node scripts/build.mjs             the client when the schema changed, then dist/
//   node scripts/build.mjs --if-stale  nothing at all when no source changed since the last build
//   node scripts/build.mjs --client    the client only
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { SCRIPT as BUNDLE, bundle } from "./bundle.mjs"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))

const SCHEMA = "prisma/schema.prisma"
const CLIENT = { stamp: "src/generated/.stamp", output: "src/generated/prisma" }
const DIST = { stamp: "dist/.stamp", output: "dist/main.js" }
const LOCK = "node_modules/.cache/tandem-build.lock"
const LOCK_STALE_MS = 300_000

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.startsWith("src/generated/"))
    .sort()
}

/** Contents, not times: a checkout or a copy of the folder changes every time and no content. */
function fingerprint(paths) {
  const hash = createHash("sha256")
  for (const path of paths) hash.update(`\0${path}\0`).update(readFileSync(path))
  return hash.digest("hex")
}

const clientFingerprint = () => fingerprint([SCHEMA, "node_modules/prisma/package.json"])
const distFingerprint = () => fingerprint([SCHEMA, "tsconfig.json", "package-lock.json", BUNDLE, ...filesBelow("src")])

function isFresh({ stamp, output }, wanted) {
  return existsSync(output) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted
}

function run(script, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
  if (status === 0) return
  process.stderr.write(`${stdout}${stderr}`)
  throw new Error(`${script} ${args.join(" ")} failed`)
}

function buildClient() {
  const wanted = clientFingerprint()
  if (isFresh(CLIENT, wanted)) return
  run("node_modules/prisma/build/index.js", "generate", "--config", "prisma/prisma.config.ts", "--no-hints")
  writeFileSync(CLIENT.stamp, wanted)
}

async function buildDist() {
  const wanted = distFingerprint()
  await bundle()
  writeFileSync(DIST.stamp, wanted)
}

/** True when the process that made the lock is gone, or has built for longer than any build takes. */
function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS) return true
    process.kill(Number(readFileSync(lock, "utf8")), 0)
    return false
  } catch (error) {
    return error.code === "ESRCH"
  }
}

/** Lets one process build at a time; the others wait, then find the work done. */
async function withLock(work) {
  mkdirSync("node_modules/.cache", { recursive: true })
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: "wx" })
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
      if (isAbandoned(LOCK)) rmSync(LOCK, { force: true })
      else await sleep(50)
    }
  }
  try {
    await work()
  } finally {
    rmSync(LOCK, { force: true })
  }
}

const [mode] = process.argv.slice(2)
const isDone = () =>
  mode === "--client"
    ? isFresh(CLIENT, clientFingerprint())
    : mode === "--if-stale" && isFresh(CLIENT, clientFingerprint()) && isFresh(DIST, distFingerprint())

// An installed package has dist/ and no sources; an install without development tools has nothing to build with.
const canBuild = existsSync(SCHEMA) && existsSync("src") && existsSync("node_modules/prisma")

if (canBuild && !isDone()) {
  await withLock(async () => {
    if (isDone()) return
    buildClient()
    if (mode !== "--client") await buildDist()
  }).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}

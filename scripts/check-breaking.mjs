// Fails when schema.graphql breaks clients of what it was before and CHANGELOG.md does not say so: under Unreleased, or under
// the version of package.json while it has no tag, a line "Breaking: `Task.title`" for each coordinate.
//   node scripts/check-breaking.mjs         since the last release
//   node scripts/check-breaking.mjs <base>  since a commit, tag or branch
// Before the first release it compares with the branch that this one came from, else with the schema before its last change.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { CriticalityLevel, diff } from "@graphql-inspector/core"
import { buildSchema } from "graphql"

const SCHEMA = "schema.graphql"
const now = readFileSync(SCHEMA, "utf8")

/** What git says; undefined where there is no git, no history or no such thing. */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 })
  return status === 0 ? stdout : undefined
}
const lineOf = (...args) => git(...args)?.trim() || undefined

function baseOf(asked) {
  if (asked !== undefined) return asked
  const release = lineOf("describe", "--tags", "--abbrev=0")
  if (release !== undefined) return release
  const fork = lineOf("merge-base", "HEAD", "origin/HEAD")
  if (fork !== undefined && fork !== lineOf("rev-parse", "HEAD")) return fork
  if (git("show", `HEAD:./${SCHEMA}`) !== now) return "HEAD"
  const changed = lineOf("log", "-1", "--format=%H", "--", SCHEMA)
  return changed === undefined ? undefined : `${changed}~1`
}

/** The version that is being released: its section has been named, and its tag not been set. */
function versionAtHand() {
  const { version } = JSON.parse(existsSync("package.json") ? readFileSync("package.json", "utf8") : "{}")
  return version !== undefined && lineOf("tag", "--list", `v${version}`) === undefined ? version : undefined
}

/** What the changelog says of what no release has yet: by section, as the headings name them. */
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m)
const isUnreleased = (section) => /^\[?Unreleased\b/i.test(section) || section.startsWith(`[${versionAtHand()}]`)
const announced = sections
  .filter(isUnreleased)
  .flatMap((section) => section.split("\n"))
  .filter((line) => line.includes("Breaking:"))

/** `Task` is not announced by `Task.title`, nor by `TaskComment`. */
const isAnnounced = (coordinate) =>
  announced.some((line) => line.split(/[^\w.]+/).some((word) => word.replace(/\.$/, "") === coordinate))

const base = baseOf(process.argv[2])
const before = base === undefined ? undefined : git("show", `${base}:./${SCHEMA}`)
if (before === undefined && process.argv[2] !== undefined) {
  console.error(`${process.argv[2]} has no ${SCHEMA}.`)
  process.exitCode = 2
} else if (before === undefined) console.log("No earlier schema to compare with.")
else {
  const changes = await diff(buildSchema(before), buildSchema(now))
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
  const silent = breaking.filter(({ path }) => !isAnnounced(path))
  for (const { path, message } of silent)
    console.error(
      `${message}\n  Clients break. Undo it, or write under Unreleased in CHANGELOG.md: Breaking: \`${path}\`, and why.`,
    )
  if (silent.length > 0) process.exitCode = 1
  else console.log(`${breaking.length} breaking changes of the schema since ${base}, each of them announced.`)
}

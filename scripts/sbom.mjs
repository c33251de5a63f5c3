// Writes what the package is made of, and under which licences, into release/: sbom.cdx.json (CycloneDX) and licences.md. Fails when
// the list is not valid, or a runtime dependency has a licence that is neither permissive nor named below.
//   npm run sbom
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Spec, Validation } from "@cyclonedx/cyclonedx-library"

const FOLDER = "release"
/** Licences that ask for nothing but their own text. */
const PERMISSIVE = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "Python-2.0",
  "Unlicense",
])
/** Others, each for one package and why: what binds changes of the package itself, which is used as it is and can be exchanged. */
const NAMED = [
  { name: /^@img\/sharp-/, licence: "LGPL-3.0-or-later", why: "libvips, a library of its own that sharp loads" },
]

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"))
const text = await sbomOf(manifest)
const sbom = JSON.parse(text)
const faults = await new Validation.JsonStrictValidator(
  Spec.Version[`v${sbom.specVersion.replace(".", "dot")}`],
).validate(text)
if (faults !== null) throw new Error(`the SBOM is not valid: ${JSON.stringify(faults)}`)

/** What of `(MIT AND BSD-3-Clause)` is not permissive; of a choice one suffices. */
const bindingParts = (licence) =>
  licence
    .replace(/[()]/g, "")
    .split(" AND ")
    .filter((part) => !part.split(" OR ").some((one) => PERMISSIVE.has(one.trim())))

const listed = new Set(sbom.components.map(({ name }) => name))
const missing = Object.keys(manifest.dependencies).filter((name) => !listed.has(name))
if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(", ")}`)

// npm puts the packages of other platforms into the lock file too: those who install there have them.
const packages = sbom.components.map(({ name, version, licenses = [], properties = [] }) => ({
  name,
  version,
  licence: licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(" AND ") || "none",
  path: properties.find((property) => property.name === "cdx:npm:package:path")?.value,
}))
for (const one of packages) if (one.licence === "none") one.licence = licenceFromManifest(one.path) ?? "none"

/**
 * What npm says of the lock file without what is for development alone. That is taken out first, as for the image: `--omit=dev` would
 * leave out packages that something for development uses too.
 */
async function sbomOf(wanted) {
  const place = mkdtempSync(join(tmpdir(), "tandem-sbom-"))
  // npm takes the name from the folder.
  const folder = join(place, wanted.name)
  const npm = (...args) => execFileSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 ** 2 })
  try {
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), JSON.stringify(wanted))
    for (const name of ["package-lock.json", ".npmrc"]) cpSync(name, join(folder, name))
    npm("install", "--package-lock-only", "--ignore-scripts")
    return npm("sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application")
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function licenceFromManifest(path) {
  try {
    return JSON.parse(readFileSync(`${path}/package.json`, "utf8")).license
  } catch {
    return undefined
  }
}

const exceptionOf = ({ name, licence }) =>
  NAMED.find((one) => one.name.test(name) && bindingParts(licence).every((part) => part === one.licence))
const binding = packages.filter(({ licence }) => bindingParts(licence).length > 0)
const refused = binding.filter((one) => exceptionOf(one) === undefined)
const exceptions = binding.filter((one) => exceptionOf(one) !== undefined)

const byLicence = new Map()
for (const { name, version, licence } of packages)
  byLicence.set(licence, [...(byLicence.get(licence) ?? []), `${name} ${version}`])
const sections = [...byLicence].sort(([, one], [, other]) => other.length - one.length)
mkdirSync(FOLDER, { recursive: true })
writeFileSync(`${FOLDER}/sbom.cdx.json`, text)
writeFileSync(
  `${FOLDER}/licences.md`,
  `# Licences of ${sbom.metadata.component.name} ${sbom.metadata.component.version}

${packages.length} packages. ${exceptions.length === 0 ? "All are permissive." : "All are permissive, but for:"}

${exceptions.map((one) => `- ${one.name} ${one.version}, ${one.licence}: ${exceptionOf(one).why}`).join("\n")}

${sections.map(([licence, names]) => `## ${licence}\n\n${names.sort().join(", ")}\n`).join("\n")}`,
)
console.log(
  `${packages.length} packages, ${sections.length} licences, ${exceptions.length} of them not permissive and named, ${refused.length} refused`,
)
for (const { name, version, licence } of refused) console.error(`${name} ${version}: ${licence}`)
if (packages.length === 0 || refused.length > 0) process.exitCode = 1

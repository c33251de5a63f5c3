import { createHash, randomBytes } from "node:crypto"
import type { Stats } from "node:fs"
import { chmod, lstat, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"

/** Nobody but the user of this process reads what is stored. */
export const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

/** Reads a JSON file; undefined when there is none. */
export async function readJsonFile<Content>(path: string): Promise<Content | undefined> {
  const text = await unlessMissing(readFile(path, "utf8"))
  return text === undefined ? undefined : (JSON.parse(text) as Content)
}

/** Writes a file so that it is there whole or not at all, whenever the process stops; if it is to last, the machine too. */
export async function writeWhole(folder: string, name: string, content: string, lasts = true): Promise<void> {
  const temporary = join(folder, temporaryName())
  const file = await open(temporary, "wx", PRIVATE_FILE)
  try {
    await file.writeFile(content)
    if (lasts) await file.datasync()
  } finally {
    await file.close()
  }
  await rename(temporary, join(folder, name))
  if (lasts) await syncFolder(folder)
}

/** Makes renames in a folder last through a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** What is being written, and was left behind where it never became anything else. */
export const temporaryName = (): string => `tmp.${randomBytes(8).toString("hex")}`

/** The names in a folder; none when it does not exist. */
export const namesIn = async (folder: string): Promise<string[]> => (await unlessMissing(readdir(folder))) ?? []

/** What is read, undefined when there is no such file. */
export async function unlessMissing<Result>(read: Promise<Result>): Promise<Result | undefined> {
  try {
    return await read
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

/** Moves a folder; well when another has moved it. */
export const moveFolder = async (from: string, to: string): Promise<void> =>
  void (await unlessMissing(rename(from, to)))

export const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true })
export const makeFolder = async (path: string): Promise<void> =>
  void (await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER }))

/**
 * Closes to other users a folder that was made when folders were open, with all that is in it. It comes last itself, so that
 * what was broken off is done again, and what is closed already costs one look.
 */
export async function closeFolder(path: string): Promise<void> {
  const found = await unlessMissing(lstat(path))
  if (found === undefined || found.isSymbolicLink() || isClosed(found)) return
  if (found.isDirectory()) for (const name of await namesIn(path)) await closeFolder(join(path, name))
  await closeItself(path)
}

const closedMode = (found: Stats): number => (found.isDirectory() ? PRIVATE_FOLDER : PRIVATE_FILE)
const isClosed = (found: Stats): boolean => (found.mode & 0o777) === closedMode(found)

/** Closes a folder or file to other users, and nothing that is in it. What belongs to another user is theirs to close. */
export async function closeItself(path: string): Promise<void> {
  try {
    await chmod(path, closedMode(await stat(path)))
  } catch (error) {
    if (!["ENOENT", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}

/** A key as a file's name: of one length, and nothing that a client chose. */
export const fileNameOf = (key: string): string => createHash("sha256").update(key).digest("hex")

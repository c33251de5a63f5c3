import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"

/** Reads a JSON file; undefined when there is none. */
export async function readJsonFile<Content>(path: string): Promise<Content | undefined> {
  const text = await unlessMissing(readFile(path, "utf8"))
  return text === undefined ? undefined : (JSON.parse(text) as Content)
}

/** Writes a file so that it is there whole or not at all, whenever the process stops; if it is to last, the machine too. */
export async function writeWhole(folder: string, name: string, content: string, lasts = true): Promise<void> {
  const temporary = join(folder, temporaryName())
  const file = await open(temporary, "wx")
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
async function syncFolder(path: string): Promise<void> {
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
export const makeFolder = async (path: string): Promise<void> => void (await mkdir(path, { recursive: true }))

/** A key as a file's name: of one length, and nothing that a client chose. */
export const fileNameOf = (key: string): string => createHash("sha256").update(key).digest("hex")

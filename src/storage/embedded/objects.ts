import { createHash, randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import { access, rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { S3Error } from "../s3-error.js"
import {
  fileNameOf,
  makeFolder,
  moveFolder,
  namesIn,
  readJsonFile,
  removeFolder,
  unlessMissing,
  writeWhole,
} from "./disk.js"
import { type Expected, latestParts, type PartFile, writePart } from "./part-file.js"

// A bucket is a folder of three:
//   uploads/<id>/   upload.json and the parts that came; open
//   data/<id>/      the same folder after it was completed
//   objects/<2>/<hash of the key>.json   which parts of which folder are the object
// An object is there from the moment its file in objects/ is; completing copies nothing, whatever the size.

/** An object: its parts in order, in a folder of their own. */
export type StoredObject = {
  readonly key: string
  readonly etag: string
  readonly sizeBytes: number
  readonly contentType: string
  readonly modifiedAt: string
  readonly folder: string
  readonly parts: readonly PartFile[]
}

/** A multipart upload that is open. */
export type OpenUpload = {
  readonly id: string
  readonly key: string
  readonly contentType: string
  readonly startedAt: string
}

/** What a client says a part is. */
export type NamedPart = { readonly partNumber: number; readonly etag: string }

/** How small a part before the last may be. */
const LEAST_PART_BYTES = 5 * 1024 ** 2
const ID = /^[0-9a-f]{32}$/

/** The objects and uploads of one bucket, in one folder, which several nodes may share. */
export type Objects = ReturnType<typeof objectsIn>

/** What a test may have otherwise than S3. */
export type ObjectsOptions = {
  /** How small a part before the last may be: 5 MiB. */
  readonly leastPartBytes?: number
  /** Whether what was acknowledged outlives a power cut: yes. */
  readonly isDurable?: boolean
}

/** Opens the folder of a bucket; it need not exist. */
export function objectsIn(
  bucket: string,
  { leastPartBytes = LEAST_PART_BYTES, isDurable = true }: ObjectsOptions = {},
) {
  const openFolder = (id: string) => join(bucket, "uploads", id)
  const dataFolder = (id: string) => join(bucket, "data", id)
  const placeOf = (key: string) => {
    const name = fileNameOf(key)
    return { folder: join(bucket, "objects", name.slice(0, 2)), name: `${name}.json` }
  }

  async function find(key: string): Promise<StoredObject | undefined> {
    const { folder, name } = placeOf(key)
    return readJsonFile<StoredObject>(join(folder, name))
  }

  /** @throws S3Error for an upload that is not open */
  async function uploadOf(id: string, key: string): Promise<OpenUpload> {
    const none = new S3Error("NoSuchUpload", "There is no such upload.")
    if (!ID.test(id)) throw none
    const upload = await readJsonFile<OpenUpload>(join(openFolder(id), "upload.json"))
    if (upload === undefined || upload.key !== key) throw none
    // Whoever completed it may have stopped before the folder was moved.
    if ((await find(key))?.folder === id) {
      await moveFolder(openFolder(id), dataFolder(id))
      throw none
    }
    return upload
  }

  async function start(key: string, contentType: string): Promise<string> {
    const id = randomBytes(16).toString("hex")
    await makeFolder(openFolder(id))
    const upload: OpenUpload = { id, key, contentType, startedAt: new Date().toISOString() }
    await writeWhole(openFolder(id), "upload.json", JSON.stringify(upload), isDurable)
    return id
  }

  /** Makes the object of these parts, in one rename, in place of one that has the key. */
  async function publish({ id, key, contentType }: OpenUpload, parts: readonly PartFile[], etag: string) {
    const former = await find(key)
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0)
    const modifiedAt = new Date().toISOString()
    const object: StoredObject = { key, etag, sizeBytes, contentType, modifiedAt, folder: id, parts }
    const { folder, name } = placeOf(key)
    await makeFolder(folder)
    await makeFolder(join(bucket, "data"))
    await writeWhole(folder, name, JSON.stringify(object), isDurable)
    await moveFolder(openFolder(id), dataFolder(id))
    const kept = new Set(["upload.json", ...parts.map((part) => part.name)])
    for (const left of await namesIn(dataFolder(id)))
      if (!kept.has(left)) await rm(join(dataFolder(id), left), { force: true })
    if (former !== undefined && former.folder !== id) await removeFolder(dataFolder(former.folder))
    return object
  }

  return {
    find,
    start,

    async partsOf(id: string, key: string): Promise<PartFile[]> {
      await uploadOf(id, key)
      return latestParts(await namesIn(openFolder(id)))
    },

    async putPart(id: string, key: string, partNumber: number, body: Readable, expected: Expected): Promise<PartFile> {
      await uploadOf(id, key)
      return writePart(openFolder(id), partNumber, body, expected, isDurable)
    },

    async complete(id: string, key: string, named: readonly NamedPart[]): Promise<StoredObject> {
      const upload = await uploadOf(id, key)
      const have = new Map(latestParts(await namesIn(openFolder(id))).map((part) => [part.partNumber, part]))
      const digest = createHash("md5")
      const parts = named.map(({ partNumber, etag }, index) => {
        const part = have.get(partNumber)
        if (part === undefined || part.md5 !== etag)
          throw new S3Error("InvalidPart", `Part ${partNumber} was not uploaded, or with another ETag.`)
        if (index > 0 && partNumber <= (named[index - 1] as NamedPart).partNumber)
          throw new S3Error("InvalidPartOrder", "The parts are not in ascending order.")
        if (index < named.length - 1 && part.sizeBytes < leastPartBytes)
          throw new S3Error("EntityTooSmall", "Every part but the last must have at least 5 MiB.")
        digest.update(part.md5, "hex")
        return part
      })
      return publish(upload, parts, `${digest.digest("hex")}-${parts.length}`)
    },

    async abort(id: string, key: string): Promise<void> {
      await uploadOf(id, key)
      await removeFolder(openFolder(id))
    },

    /** Writes a whole object. When that breaks off, an open upload is left, which is found like any other. */
    async put(key: string, contentType: string, body: Readable, expected: Expected): Promise<StoredObject> {
      const id = await start(key, contentType)
      try {
        const part = await writePart(openFolder(id), 1, body, expected, isDurable)
        return await publish({ id, key, contentType, startedAt: "" }, [part], part.md5)
      } catch (error) {
        await removeFolder(openFolder(id))
        throw error
      }
    },

    /** The bytes from `start` to `end`, both included. */
    read({ folder, parts }: StoredObject, start: number, end: number): Readable {
      return Readable.from(spanOf(folder, parts, start, end), { objectMode: false })
    },

    /** Its bytes first: what broke off is found and removed by the next attempt. */
    async remove(key: string): Promise<void> {
      const object = await find(key)
      if (object === undefined) return
      await removeFolder(dataFolder(object.folder))
      await removeFolder(openFolder(object.folder))
      const { folder, name } = placeOf(key)
      await rm(join(folder, name), { force: true })
    },

    async openUploads(): Promise<OpenUpload[]> {
      const ids = (await namesIn(join(bucket, "uploads"))).filter((id) => ID.test(id))
      const uploads: OpenUpload[] = []
      for (const id of ids) {
        const upload = await readJsonFile<OpenUpload>(join(openFolder(id), "upload.json"))
        if (upload !== undefined && (await find(upload.key))?.folder !== id) uploads.push(upload)
      }
      return uploads.sort((a, b) => (a.key === b.key ? (a.id < b.id ? -1 : 1) : a.key < b.key ? -1 : 1))
    },

    /** Objects behind `after`, the name of an object's file, and not in the order of their keys. */
    async *objects(after = ""): AsyncGenerator<{ name: string; object: StoredObject }> {
      for (const shelf of (await namesIn(join(bucket, "objects"))).sort()) {
        if (shelf < after.slice(0, 2)) continue
        for (const name of (await namesIn(join(bucket, "objects", shelf))).sort()) {
          if (name <= after || !name.endsWith(".json")) continue
          const object = await readJsonFile<StoredObject>(join(bucket, "objects", shelf, name))
          if (object !== undefined) yield { name, object }
        }
      }
    },
  }

  async function* spanOf(folder: string, parts: readonly PartFile[], start: number, end: number) {
    let offset = 0
    for (const { name, sizeBytes } of parts) {
      const [first, last] = [Math.max(start - offset, 0), Math.min(end - offset, sizeBytes - 1)]
      offset += sizeBytes
      if (first > last) continue
      const span = { start: first, end: last, highWaterMark: 262_144 }
      const moved = join(dataFolder(folder), name)
      const isMoved = (await unlessMissing(access(moved).then(() => true))) === true
      yield* createReadStream(isMoved ? moved : join(openFolder(folder), name), span)
    }
  }
}

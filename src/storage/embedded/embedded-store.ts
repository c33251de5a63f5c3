import { createHash, randomBytes } from "node:crypto"
import { createReadStream } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Readable } from "node:stream"
import { NotFound } from "../../errors.js"
import { type ByteRange, KEY_PREFIX, type PartStore, PartsRefused, type Storage, type StoredPart } from "../storage.js"
import {
  closeFolder,
  fileNameOf,
  makeFolder,
  moveFolder,
  namesIn,
  readJsonFile,
  removeFolder,
  syncFolder,
  writeWhole,
} from "./disk.js"
import { latestParts, type PartFile, supersededBy, writePart } from "./part-file.js"

// The store is a folder of three:
//   uploads/<id>/   upload.json and the parts that came; open
//   data/<id>/      the same folder, closed: being completed, or completed
//   objects/<2>/<hash of the key>.json   which parts of which folder are the object
// An object is there from the moment its file in objects/ is; completing copies nothing, whatever the size.

/** An object: its parts in order, in a folder of their own. */
type StoredObject = {
  readonly key: string
  readonly etag: string
  readonly sizeBytes: number
  readonly modifiedAt: string
  readonly folder: string
  readonly parts: readonly PartFile[]
}

type OpenUpload = { readonly id: string; readonly key: string; readonly startedAt: string }

/** What a test may have otherwise than S3. */
export type EmbeddedOptions = {
  /** How small a part before the last may be: 5 MiB. */
  readonly leastPartBytes?: number
  /** Whether what was acknowledged outlives a power cut: yes. */
  readonly isDurable?: boolean
}

const MIN_PART_BYTES = 5 * 1024 ** 2
const READ_BYTES = 262_144
const ID = /^[0-9a-f]{32}$/

const refused = (code: string, reason: string) => new PartsRefused(code, reason)
const noSuchUpload = () => refused("NoSuchUpload", "there is no such upload")

/** The embedded store: files of a folder that is made when something is first written, and that several nodes may share. */
export type EmbeddedStore = PartStore & Omit<Storage, "signPart">

/** Opens the store of a folder. Those that were made open to other users are closed. */
export async function openEmbeddedStore(
  folder: string,
  { leastPartBytes = MIN_PART_BYTES, isDurable = true }: EmbeddedOptions = {},
): Promise<EmbeddedStore> {
  await closeFolder(folder)
  const root = join(folder, "files")
  const openFolder = (id: string) => join(root, "uploads", id)
  const dataFolder = (id: string) => join(root, "data", id)
  const placeOf = (key: string) => {
    const name = fileNameOf(key)
    return { folder: join(root, "objects", name.slice(0, 2)), name: `${name}.json` }
  }

  async function find(key: string): Promise<StoredObject | undefined> {
    const { folder, name } = placeOf(key)
    return readJsonFile<StoredObject>(join(folder, name))
  }

  /** Where an upload is that is not completed: open, or closed by a process that died before it was. */
  async function folderOf(id: string, key: string): Promise<string | undefined> {
    if (!ID.test(id) || (await find(key))?.folder === id) return undefined
    for (const folder of [openFolder(id), dataFolder(id)])
      if ((await readJsonFile<OpenUpload>(join(folder, "upload.json")))?.key === key) return folder
    return undefined
  }

  async function start(key: string): Promise<string> {
    const id = randomBytes(16).toString("hex")
    await makeFolder(openFolder(id))
    const upload: OpenUpload = { id, key, startedAt: new Date().toISOString() }
    await writeWhole(openFolder(id), "upload.json", JSON.stringify(upload), isDurable)
    return id
  }

  /** Makes the object of parts of a folder in data/, in one rename, in place of one that has the key. */
  async function publish(id: string, key: string, parts: readonly PartFile[], etag: string): Promise<void> {
    const former = await find(key)
    const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0)
    const object: StoredObject = { key, etag, sizeBytes, modifiedAt: new Date().toISOString(), folder: id, parts }
    const { folder, name } = placeOf(key)
    await makeFolder(folder)
    if (isDurable) await syncFolder(dataFolder(id))
    await writeWhole(folder, name, JSON.stringify(object), isDurable)
    const kept = new Set(["upload.json", ...parts.map((part) => part.name)])
    for (const left of await namesIn(dataFolder(id)))
      if (!kept.has(left)) await rm(join(dataFolder(id), left), { force: true })
    if (former !== undefined && former.folder !== id) await removeFolder(dataFolder(former.folder))
  }

  /** @throws PartsRefused for those that are not, or no more, what is named */
  function chosen(have: readonly PartFile[], named: readonly StoredPart[]): PartFile[] {
    const byNumber = new Map(have.map((part) => [part.partNumber, part]))
    return named.map(({ partNumber, etag }, index) => {
      const part = byNumber.get(partNumber)
      if (part?.md5 !== etag) throw refused("InvalidPart", "a part has changed while the upload was being finished")
      if (partNumber <= (named[index - 1]?.partNumber ?? 0))
        throw refused("InvalidPartOrder", "the parts are not in order")
      if (index < named.length - 1 && part.sizeBytes < leastPartBytes)
        throw refused("EntityTooSmall", "every part but the last must have at least 5 MiB")
      return part
    })
  }

  return {
    startUpload: start,

    async listParts({ key, uploadId }) {
      const folder = await folderOf(uploadId, key)
      if (folder === undefined) return undefined
      return latestParts(await namesIn(folder)).map(({ partNumber, sizeBytes, md5 }) => ({
        partNumber,
        sizeBytes,
        etag: md5,
      }))
    },

    async putPart({ key, uploadId }, partNumber, part) {
      const folder = openFolder(uploadId)
      if ((await folderOf(uploadId, key)) !== folder) throw new NotFound("There is no such upload, or it is finished.")
      const written = await writePart(folder, partNumber, part, isDurable)
      for (const name of supersededBy(written, await namesIn(folder))) await rm(join(folder, name), { force: true })
      return written.md5
    },

    async completeUpload({ key, uploadId }, named) {
      const folder = await folderOf(uploadId, key)
      if (folder === undefined) throw noSuchUpload()
      chosen(latestParts(await namesIn(folder)), named)
      await makeFolder(join(root, "data"))
      // From here on no part comes and none is replaced, so that what is chosen is what there is.
      await moveFolder(openFolder(uploadId), dataFolder(uploadId))
      const have = latestParts(await namesIn(dataFolder(uploadId)))
      try {
        const parts = chosen(have, named)
        const digest = createHash("md5")
        for (const { md5 } of parts) digest.update(md5, "hex")
        await publish(uploadId, key, parts, `${digest.digest("hex")}-${parts.length}`)
      } catch (error) {
        if (error instanceof PartsRefused) await moveFolder(dataFolder(uploadId), openFolder(uploadId))
        throw error
      }
    },

    async abortUpload({ key, uploadId }) {
      const folder = await folderOf(uploadId, key)
      if (folder !== undefined) await removeFolder(folder)
    },

    async *openUploads() {
      for (const id of await namesIn(join(root, "uploads"))) {
        const upload = await readJsonFile<OpenUpload>(join(openFolder(id), "upload.json"))
        if (upload === undefined || (await find(upload.key))?.folder === id) continue
        yield { key: upload.key, uploadId: id, startedAt: new Date(upload.startedAt) }
      }
    },

    async read(key, range?: ByteRange) {
      const object = await find(key)
      if (object === undefined) return undefined
      const { start, end } = range ?? { start: 0, end: object.sizeBytes - 1 }
      return Readable.from(spanOf(object, start, end), { objectMode: false })
    },

    sizeOf: async (key) => (await find(key))?.sizeBytes,

    /** When that breaks off, an open upload is left, which is found like any other. */
    async write(key, bytes) {
      const id = await start(key)
      const body = Readable.from([bytes], { objectMode: false })
      const part = await writePart(
        openFolder(id),
        1,
        { body, sizeBytes: undefined, md5: undefined, take() {} },
        isDurable,
      )
      await makeFolder(join(root, "data"))
      await moveFolder(openFolder(id), dataFolder(id))
      await publish(id, key, [part], part.md5)
    },

    /** Its bytes first: what broke off is found and removed by the next attempt. */
    async remove(key) {
      const object = await find(key)
      if (object === undefined) return
      await removeFolder(dataFolder(object.folder))
      await removeFolder(openFolder(object.folder))
      const { folder, name } = placeOf(key)
      await rm(join(folder, name), { force: true })
    },

    async *keys() {
      for (const shelf of await namesIn(join(root, "objects")))
        for (const name of await namesIn(join(root, "objects", shelf))) {
          if (!name.endsWith(".json")) continue
          const object = await readJsonFile<StoredObject>(join(root, "objects", shelf, name))
          if (object?.key.startsWith(KEY_PREFIX)) yield object.key
        }
    },
  }

  async function* spanOf({ folder, parts }: StoredObject, start: number, end: number) {
    // A process of an earlier version may have died between making an object and moving its folder.
    const isMoved = (await namesIn(dataFolder(folder))).length > 0
    let offset = 0
    for (const { name, sizeBytes } of parts) {
      const [first, last] = [Math.max(start - offset, 0), Math.min(end - offset, sizeBytes - 1)]
      offset += sizeBytes
      if (first > last) continue
      const place = isMoved ? dataFolder(folder) : openFolder(folder)
      yield* createReadStream(join(place, name), { start: first, end: last, highWaterMark: READ_BYTES })
    }
  }
}

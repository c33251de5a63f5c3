import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { beforeAll, describe, expect, it, vi } from "vitest"
import { type EmbeddedStore, openEmbeddedStore } from "../../src/storage/embedded/embedded-store.js"
import { newStorageKey, type StoredPart, type StoredUpload } from "../../src/storage/storage.js"
import { someBytes, temporaryFolder } from "../support/uploads.js"

const MEBIBYTE = 1024 ** 2

let folder: string
let store: EmbeddedStore
let strict: EmbeddedStore

beforeAll(async () => {
  folder = temporaryFolder()
  store = await openEmbeddedStore(folder, { leastPartBytes: 1, isDurable: false })
  strict = await openEmbeddedStore(folder)
})

const start = async (key: string): Promise<StoredUpload> => ({ key, uploadId: await store.startUpload(key) })
const arriving = (body: Readable, announced: { sizeBytes?: number; md5?: string } = {}) => ({
  body,
  sizeBytes: announced.sizeBytes,
  md5: announced.md5,
  signal: new AbortController().signal,
  take() {},
})
const streamOf = (bytes: Uint8Array) => Readable.from([bytes], { objectMode: false })
const put = async (upload: StoredUpload, partNumber: number, bytes: Uint8Array): Promise<StoredPart> => ({
  partNumber,
  sizeBytes: bytes.length,
  etag: await store.putPart(upload, partNumber, arriving(streamOf(bytes))),
})
async function get(key: string, range?: [number, number]): Promise<Buffer | undefined> {
  const stream = await store.read(key, range && { start: range[0], end: range[1] })
  return stream && buffer(stream)
}
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}
const nameOf = (failing: Promise<unknown>) =>
  failing.then(
    () => "accepted",
    (error: Error & { code?: string }) => error.code ?? error.name,
  )
const inFolder = (place: "uploads" | "data", { uploadId }: StoredUpload) => join(folder, "files", place, uploadId)

describe("multipart uploads", () => {
  it("gives back random uploads, sent out of order and in part again, byte for byte", async () => {
    for (let index = 0; index < 24; index++) {
      const upload = await start(`random/${index}`)
      const parts = Array.from({ length: 1 + (index % 12) }, (_, part) =>
        someBytes(4_096 + ((index * 37 + part * 101) % 64) - 32, index * 100 + part + 1),
      )
      const order = parts.map((_, part) => part).sort((a, b) => ((a * 7 + index) % 5) - ((b * 7 + index) % 5))
      await put(upload, (order[0] as number) + 1, someBytes(100, 9)) // what comes again replaces it
      await Promise.all(order.map((part) => put(upload, part + 1, parts[part] as Buffer)))
      await store.completeUpload(upload, (await store.listParts(upload)) as StoredPart[])
      if (!(await get(upload.key))?.equals(Buffer.concat(parts)))
        expect.fail(`upload ${index} of ${parts.length} parts came back as other bytes`)
    }
  })

  it("has the latest of several that came under one number, within one millisecond and when the clock goes back", async () => {
    const now = Date.now()
    const clock = vi.spyOn(Date, "now")
    try {
      for (let index = 0; index < 12; index++) {
        const upload = await start(`again/${index}`)
        for (let sent = 0; sent < 3; sent++) {
          clock.mockReturnValue(sent === 2 ? now - 60_000 : now)
          await put(upload, 1, Buffer.from(`sent ${sent}`))
        }
        await store.completeUpload(upload, (await store.listParts(upload)) as StoredPart[])
        expect((await get(upload.key))?.toString()).toBe("sent 2")
      }
    } finally {
      clock.mockRestore()
    }
  })

  it("forgets an upload that was completed or aborted, and what was sent to it", async () => {
    const [done, given] = [await start("done"), await start("given up")]
    const parts = [await put(done, 1, Buffer.from("x"))]
    await put(given, 1, Buffer.from("x"))
    await store.completeUpload(done, parts)
    await store.abortUpload(given)
    for (const upload of [done, given]) {
      expect(await store.listParts(upload)).toBeUndefined()
      expect(await nameOf(put(upload, 2, Buffer.from("x")))).toBe("NotFound")
      expect(await nameOf(store.completeUpload(upload, parts))).toBe("NoSuchUpload")
      await store.abortUpload(upload)
    }
    expect(await get("given up")).toBeUndefined()
    expect(await get("done")).toEqual(Buffer.from("x"))
  })

  it("refuses parts that are missing, changed, out of order or too small, and stays open", async () => {
    const upload = await start("refused")
    const first = await put(upload, 1, someBytes(5 * MEBIBYTE - 1))
    const second = await put(upload, 2, Buffer.from("x"))
    const complete = (...parts: StoredPart[]) => nameOf(strict.completeUpload(upload, parts))
    expect(await complete({ ...second, partNumber: 3 })).toBe("InvalidPart")
    expect(await complete({ ...first, etag: second.etag }, second)).toBe("InvalidPart")
    expect(await nameOf(store.completeUpload(upload, [second, first]))).toBe("InvalidPartOrder")
    expect(await complete(first, second)).toBe("EntityTooSmall")
    expect(await complete(await put(upload, 1, someBytes(5 * MEBIBYTE)), second)).toBe("accepted")
    expect(await store.sizeOf("refused")).toBe(5 * MEBIBYTE + 1)
  })

  it("leaves nothing of a part that came before under its number", async () => {
    const upload = await start("sent again")
    for (const seed of [1, 2, 3]) await put(upload, 1, someBytes(1_000, seed))
    expect(readdirSync(inFolder("uploads", upload))).toHaveLength(2)
    await Promise.all([4, 5, 6, 7].map((seed) => put(upload, 1, someBytes(1_000, seed))))
    const [only, ...more] = (await store.listParts(upload)) as StoredPart[]
    expect(more).toEqual([])
    await store.completeUpload(upload, [only as StoredPart])
    const found = (await get(upload.key)) as Buffer
    expect([4, 5, 6, 7].some((seed) => found.equals(someBytes(1_000, seed)))).toBe(true)
  })

  it("keeps nothing of a part that breaks off, is not what was announced or has no room", async () => {
    const upload = await start("broken")
    const broken = Readable.from(
      (async function* () {
        yield someBytes(3 * MEBIBYTE)
        throw Object.assign(new Error("gone"), { code: "ECONNRESET" })
      })(),
      { objectMode: false },
    )
    const full = { take() { throw new RangeError("full") } } // biome-ignore format: one line
    expect(await nameOf(store.putPart(upload, 1, arriving(broken)))).toBe("BadRequest")
    expect(await nameOf(store.putPart(upload, 1, arriving(streamOf(someBytes(9)), { sizeBytes: 10 })))).toBe(
      "BadRequest",
    )
    expect(await nameOf(store.putPart(upload, 1, arriving(streamOf(someBytes(9)), { md5: "0".repeat(32) })))).toBe("BadRequest") // biome-ignore format: one check
    expect(await nameOf(store.putPart(upload, 1, { ...arriving(streamOf(someBytes(9))), ...full }))).toBe("RangeError")
    expect(readdirSync(inFolder("uploads", upload))).toEqual(["upload.json"])
    expect(await store.listParts(upload)).toEqual([])
  })

  it("knows those that are open, each by its own key alone", async () => {
    const started = await Promise.all(["a", "b", "b"].map((name) => start(`open/${name}`)))
    const open = (await all(store.openUploads())).filter(({ key }) => key.startsWith("open/"))
    expect(open.map(({ uploadId }) => uploadId).sort()).toEqual(started.map(({ uploadId }) => uploadId).sort())
    const [one] = started as [StoredUpload]
    for (const uploadId of ["..", "../../objects", one.uploadId.toUpperCase(), `${one.uploadId}/`, ""])
      expect(await store.listParts({ key: one.key, uploadId })).toBeUndefined()
    expect(await store.listParts({ key: "open/b", uploadId: one.uploadId })).toBeUndefined()
    expect(await nameOf(put({ key: "open/b", uploadId: one.uploadId }, 1, Buffer.from("x")))).toBe("NotFound")
  })
})

describe("a process that was killed", () => {
  // What is on disk then, whichever write it was in the middle of.

  it("leaves of a part that was coming nothing that is listed or becomes part of an object", async () => {
    const upload = await start("killed while a part came")
    writeFileSync(join(inFolder("uploads", upload), "tmp.0011223344556677"), someBytes(100))
    expect(await store.listParts(upload)).toEqual([])
    await store.completeUpload(upload, [await put(upload, 1, Buffer.from("whole"))])
    expect((await get(upload.key))?.toString()).toBe("whole")
    expect(readdirSync(inFolder("data", upload)).filter((name) => name.startsWith("tmp."))).toEqual([])
  })

  it("leaves an object that was being completed either not there or whole", async () => {
    const upload = await start("killed while it was completed")
    const part = await put(upload, 1, Buffer.from("whole"))
    const shelf = createHash("sha256").update(upload.key).digest("hex").slice(0, 2)
    mkdirSync(join(folder, "files/objects", shelf), { recursive: true })
    writeFileSync(join(folder, "files/objects", shelf, "tmp.0011223344556677"), '{"key":"killed')
    // Closed to parts, and nothing made of it yet.
    renameSync(inFolder("uploads", upload), inFolder("data", upload))
    expect(await get(upload.key)).toBeUndefined()
    expect(await nameOf(put(upload, 2, Buffer.from("late")))).toBe("NotFound")
    expect(await store.listParts(upload)).toEqual([part])
    await store.completeUpload(upload, [part])
    expect((await get(upload.key))?.toString()).toBe("whole")
    // As an earlier version left it between its two renames.
    renameSync(inFolder("data", upload), inFolder("uploads", upload))
    expect((await get(upload.key))?.toString()).toBe("whole")
    expect((await all(store.openUploads())).map(({ key }) => key)).not.toContain(upload.key)
    await store.abortUpload(upload)
    expect((await get(upload.key))?.toString()).toBe("whole")
    await store.remove(upload.key)
    expect([existsSync(inFolder("uploads", upload)), existsSync(inFolder("data", upload))]).toEqual([false, false])
  })
})

describe("objects", () => {
  it("writes, replaces, reads, lists and removes them, under any key", async () => {
    const key = `${newStorageKey("previews")}/../ä (1).txt`
    await store.write(key, Buffer.from("first"))
    await store.write(key, Buffer.from("second"))
    expect((await get(key))?.toString()).toBe("second")
    expect((await all(store.keys())).filter((found) => found === key)).toHaveLength(1)
    await store.remove(key)
    await store.remove(key)
    expect([await get(key), await store.sizeOf(key)]).toEqual([undefined, undefined])
    expect(readdirSync(folder)).toEqual(["files"])
  })

  it("reads spans that cross parts", async () => {
    const upload = await start("ranges")
    const parts: StoredPart[] = []
    for (const [index, piece] of ["0123", "4567", "89"].entries())
      parts.push(await put(upload, index + 1, Buffer.from(piece)))
    await store.completeUpload(upload, parts)
    expect((await get("ranges", [3, 8]))?.toString()).toBe("345678")
    expect((await get("ranges", [8, 9]))?.toString()).toBe("89")
    expect((await get("ranges", [0, 100]))?.toString()).toBe("0123456789")
  })
})

describe("a folder of an earlier version", () => {
  it("goes on as it is, and is closed to other users, but not what links in it lead to", async () => {
    const old = temporaryFolder()
    const [outside, key, id] = [temporaryFolder(), newStorageKey("uploads"), "0".repeat(32)]
    const hash = createHash("sha256").update(key).digest("hex")
    const md5 = createHash("md5").update("hello").digest("hex")
    const name = `00001.0190000000000abcdef01.${md5}.5`
    const [data, objects] = [join(old, "files/data", id), join(old, "files/objects", hash.slice(0, 2))]
    for (const made of [data, objects]) mkdirSync(made, { recursive: true })
    const contentType = "application/octet-stream"
    writeFileSync(
      join(data, "upload.json"),
      JSON.stringify({ id, key, contentType, startedAt: "2026-01-31T00:00:00.000Z" }),
    )
    writeFileSync(join(data, name), "hello")
    const part = { partNumber: 1, sizeBytes: 5, md5, name }
    const object = { key, etag: `${md5}-1`, sizeBytes: 5, contentType, modifiedAt: "2026-01-31T00:00:00.000Z", folder: id, parts: [part] } // biome-ignore format: one object
    writeFileSync(join(objects, `${hash}.json`), JSON.stringify(object))
    for (const path of [old, join(old, "files"), data, outside]) chmodSync(path, 0o755)
    for (const path of [join(data, name), join(objects, `${hash}.json`)]) chmodSync(path, 0o644)
    symlinkSync(outside, join(old, "files/link"))

    const opened = await openEmbeddedStore(old, { isDurable: false })
    expect((await buffer((await opened.read(key)) as Readable)).toString()).toBe("hello")
    expect(await all(opened.keys())).toEqual([key])
    await opened.write(newStorageKey("previews"), Buffer.from("new"))
    const upload = { key, uploadId: await opened.startUpload(key) }
    await opened.putPart(upload, 1, arriving(streamOf(Buffer.from("other"))))
    for (const path of readdirSync(old, { recursive: true }).map(String)) {
      if (path === "files/link") continue
      const found = statSync(join(old, path))
      expect([path, found.mode & 0o777]).toEqual([path, found.isDirectory() ? 0o700 : 0o600])
    }
    expect([statSync(old).mode & 0o777, statSync(outside).mode & 0o777]).toEqual([0o700, 0o755])
    await opened.remove(key)
    expect([await opened.sizeOf(key), existsSync(data)]).toEqual([undefined, false])
  })

  it("is not made before something is written", async () => {
    const folder = join(temporaryFolder(), "storage")
    const opened = await openEmbeddedStore(folder)
    expect([await opened.sizeOf("a"), await all(opened.keys()), await all(opened.openUploads())]).toEqual([
      undefined,
      [],
      [],
    ])
    expect(existsSync(folder)).toBe(false)
  })
})

import { createHash, randomBytes } from "node:crypto"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { BadRequest, NotFound, Unavailable } from "../../errors.js"
import type { ArrivingPart } from "../storage.js"
import { namesIn, PRIVATE_FILE, temporaryName } from "./disk.js"

const WRITE_BYTES = 1_048_576
/** So much is brought to the disk while more comes, so that little is left to wait for when the last byte is there. */
const FLUSH_BYTES = 32 * WRITE_BYTES

/** One part on disk. Its file's name says everything of it, so that one rename makes it, and a listing opens no file. */
export type PartFile = {
  readonly partNumber: number
  readonly sizeBytes: number
  readonly md5: string
  readonly name: string
}

const NAME = /^(\d{5})\.[0-9a-f]+\.([0-9a-f]{32})\.(\d+)$/

/** A part by its file's name; undefined for any other file. */
function partOf(name: string): PartFile | undefined {
  const [, partNumber, md5, sizeBytes] = NAME.exec(name) ?? []
  if (md5 === undefined) return undefined
  return { partNumber: Number(partNumber), sizeBytes: Number(sizeBytes), md5, name }
}

/** The parts of an upload by number; of several that were sent under one number the latest. */
export function latestParts(names: readonly string[]): PartFile[] {
  const parts = new Map<number, PartFile>()
  for (const name of [...names].sort()) {
    const part = partOf(name)
    if (part !== undefined) parts.set(part.partNumber, part)
  }
  return [...parts.values()]
}

/** The files that a part has taken the place of. */
export const supersededBy = ({ partNumber, name }: PartFile, names: readonly string[]): string[] =>
  names.filter((other) => other < name && partOf(other)?.partNumber === partNumber)

const TIME_DIGITS = 12

/** Names sort by number, then by when they were made: behind those that are there, within the same millisecond and on any clock. */
function nameOf({ partNumber, md5, sizeBytes }: Omit<PartFile, "name">, names: readonly string[]): string {
  const number = String(partNumber).padStart(5, "0")
  const times = names
    .filter((name) => partOf(name)?.partNumber === partNumber)
    .map((name) => Number.parseInt(name.slice(number.length + 1, number.length + 1 + TIME_DIGITS), 16))
  const time = Math.max(Date.now(), ...times.map((known) => known + 1))
  const stamp = time.toString(16).padStart(TIME_DIGITS, "0") + randomBytes(4).toString("hex")
  return `${number}.${stamp}.${md5}.${sizeBytes}`
}

/**
 * Writes a body into a folder as one part, a megabyte at a time, and keeps it only when it is what it should be. Until then
 * it lies under a name that no listing shows. If it is to last, it outlives a power cut from then on.
 * @throws NotFound when the folder is gone, BadRequest for another body than was announced, Unavailable without room, what `take` throws
 */
export async function writePart(
  folder: string,
  partNumber: number,
  { body, sizeBytes: announcedBytes, md5: announced, take }: Pick<ArrivingPart, "body" | "sizeBytes" | "md5" | "take">,
  lasts: boolean,
): Promise<PartFile> {
  const temporary = join(folder, temporaryName())
  const file = await open(temporary, "wx", PRIVATE_FILE).catch((error: unknown) => {
    throw failureOf(error)
  })
  try {
    const md5 = createHash("md5")
    let sizeBytes = 0
    let writing: Promise<void> = Promise.resolve()
    let flushing: Promise<void> = Promise.resolve()
    let unflushedBytes = 0
    try {
      for await (const pieces of inBlocks(body)) {
        const length = lengthOf(pieces)
        take(length)
        for (const piece of pieces) md5.update(piece)
        sizeBytes += length
        unflushedBytes += length
        // One block is written while the next one comes.
        await writing
        writing = writeAll(file, pieces)
        writing.catch(() => {}) // told where it is awaited
        if (!lasts || unflushedBytes < FLUSH_BYTES) continue
        unflushedBytes = 0
        // A disk tells of a fault once, so each of these counts.
        flushing = flushing.then(() => file.datasync())
        flushing.catch(() => {})
      }
      await writing
      await flushing
      if (lasts) await file.datasync()
    } finally {
      await Promise.allSettled([writing, flushing])
      await file.close()
    }
    const digest = md5.digest("hex")
    if (announcedBytes !== undefined && announcedBytes !== sizeBytes) throw new BadRequest(ENDED_EARLY)
    if (announced !== undefined && announced !== digest)
      throw new BadRequest("The part does not have the MD5 digest that was announced.")
    const name = nameOf({ partNumber, md5: digest, sizeBytes }, await namesIn(folder))
    await rename(temporary, join(folder, name))
    return { partNumber, sizeBytes, md5: digest, name }
  } catch (error) {
    await rm(temporary, { force: true })
    throw failureOf(error)
  }
}

const ENDED_EARLY = "The body ended too early."

/** Writes pieces as they are: to put them together first would cost more than to write them. */
async function writeAll(file: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await file.writev(pieces)
  if (bytesWritten === lengthOf(pieces)) return
  let rest = Buffer.concat(pieces).subarray(bytesWritten)
  while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten)
}

const lengthOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0)

/** Gathers what a socket gives in small pieces, so that a large body is not a hundred thousand writes. */
async function* inBlocks(body: Readable): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let length = 0
  // The body is left as it is when this ends early: with it the connection would be lost, and the answer.
  for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    pieces.push(piece)
    length += piece.length
    if (length < WRITE_BYTES) continue
    yield pieces
    pieces = []
    length = 0
  }
  if (length > 0) yield pieces
}

function failureOf(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === "ENOENT") return new NotFound("There is no such upload, or it is finished.") // perhaps it was ended meanwhile
  if (code === "ENOSPC" || code === "EDQUOT") return new Unavailable("The disk is full.")
  if (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE") return new BadRequest(ENDED_EARLY)
  return error
}

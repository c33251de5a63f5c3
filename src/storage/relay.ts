import { createReadStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { writePart } from "./embedded/part-file.js"
import type { Bucket } from "./s3.js"
import type { PartStore } from "./storage.js"

/**
 * Streams parts on to a store that need not know the signatures with which they came. One megabyte of a part is in memory at
 * a time, whatever its size.
 */
export const relayTo = ({ listParts, sendPart }: Bucket): PartStore => ({
  listParts,
  async putPart(upload, partNumber, part) {
    const { sizeBytes, body } = part
    if (sizeBytes !== undefined) {
      part.take(sizeBytes)
      return sendPart(upload, partNumber, body, { ...part, sizeBytes })
    }
    // No store takes a body whose length it is not told first, so a chunked one waits on disk until it is known.
    const folder = await mkdtemp(join(tmpdir(), "tandem-part-"))
    try {
      const written = await writePart(folder, partNumber, part, false)
      return await sendPart(upload, partNumber, createReadStream(join(folder, written.name)), { ...part, ...written })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

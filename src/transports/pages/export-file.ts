import { once } from "node:events"
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Response } from "express"
import type { DatabaseClient } from "../../database/client.js"
import { NotFound, RateLimited } from "../../errors.js"
import { type Export, exportAccount } from "../../exchange/export-account.js"

/** Each holds one of the node's few connections for transactions. */
const MAX_AT_ONCE = 2
/** A download from which nobody reads for so long is given up. */
const STALLED_MS = 60_000

let reading = 0

/** A file without a name, which is gone when it is closed, however this process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "tandem-export-"))
  try {
    return await open(join(folder, "export"), "wx+", 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Reads an account to a file as fast as the database gives it, so that no reader who is slow holds a transaction.
 * @param hasLeft whether nobody waits for it any more
 * @throws RateLimited when the node reads two already, NotFound when its reader has left
 */
export async function exportToFile(
  database: DatabaseClient,
  what: Export,
  hasLeft: () => boolean,
): Promise<{ file: FileHandle; bytes: number }> {
  if (reading >= MAX_AT_ONCE)
    throw new RateLimited(5, "Other people's exports are under way. Try again in a few seconds.")
  reading++
  try {
    const file = await openUnnamed()
    try {
      await exportAccount(database, what, async (pieces) => {
        for await (const piece of pieces) {
          if (hasLeft()) throw new NotFound()
          await file.appendFile(piece)
        }
      })
      return { file, bytes: (await file.stat()).size }
    } catch (error) {
      await file.close()
      throw error
    }
  } finally {
    reading--
  }
}

/**
 * Sends a file as fast as it is taken, and closes it. Rejects when the reader has left or stalls.
 * @returns the last of it, which is not sent yet: the client that has it may come again
 */
export async function sendFile(file: FileHandle, response: Response, stalledMs = STALLED_MS): Promise<Buffer> {
  let last = Buffer.alloc(0)
  try {
    for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
      await sendPiece(last, response, stalledMs)
      last = piece
    }
    return last
  } finally {
    await file.close()
  }
}

async function sendPiece(piece: Buffer, response: Response, stalledMs: number): Promise<void> {
  if (response.destroyed) throw new NotFound()
  if (piece.length === 0 || response.write(piece)) return
  const stalled = new AbortController()
  const options = { signal: stalled.signal }
  const gone = sleep(stalledMs, undefined, { ...options, ref: false }).then(() => response.destroy())
  await Promise.race([once(response, "drain", options), once(response, "close", options), gone]).finally(() =>
    stalled.abort(),
  )
}

import { once } from "node:events"
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Response } from "express"
import type { DatabaseClient } from "../../database/client.js"
import { NotFound, RateLimited, TooLarge } from "../../errors.js"
import { type Export, exportAccount } from "../../exchange/export-account.js"
import type { Id } from "../../statement.js"

/** Each holds one of the node's few connections for transactions. */
const MAX_AT_ONCE = 2
/** What all files together may have that are written or wait to be fetched. */
const MAX_BYTES = 2 * 2 ** 30
/** A download from which nobody reads for so long is given up. */
const STALLED_MS = 60_000
/** So long a file waits to be fetched, and as much longer as its bytes take at this rate: 2 Mbit/s. */
const FETCHED_WITHIN_MS = 60_000
const BYTES_PER_MS = 256
/** Most are fetched long before they have to be. */
const MAX_RETRY_AFTER_S = 60

/** An account in a file, which is gone once it has been sent. */
export type ExportFile = {
  readonly bytes: number
  /**
   * Sends it as fast as it is taken. Rejects when the reader has left, stalls or takes longer than its size allows.
   * @returns the last of it, which is not sent yet: the client that has it may come again
   */
  send(response: Response): Promise<Buffer>
}

/** What is written or waits. */
type Held = { bytes: number; dueAt: number }

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
 * The files of exports of a node: two are written at a time, and all together have a bound.
 * @param bounds only tests set them
 */
export function exportFiles({
  maxBytes = MAX_BYTES,
  stalledMs = STALLED_MS,
  fetchedWithinMs = FETCHED_WITHIN_MS,
  bytesPerMs = BYTES_PER_MS,
} = {}) {
  let writing = 0
  /** One a user, until it has been read. */
  const held = new Map<Id, Held>()

  const dueAt = (bytes: number) => performance.now() + fetchedWithinMs + bytes / bytesPerMs

  function makeRoom(mine: Held, bytes: number): void {
    const others = [...held.values()].filter((one) => one !== mine)
    const sum = others.reduce((all, one) => all + one.bytes, mine.bytes + bytes)
    if (sum > maxBytes && others.length === 0)
      throw new TooLarge(maxBytes, "This export is too large for a page. Ask the people who run this service for it.")
    if (sum > maxBytes) {
      const first = Math.min(...others.map((one) => one.dueAt)) - performance.now()
      const seconds = Math.min(Math.max(Math.ceil(first / 1_000), 1), MAX_RETRY_AFTER_S)
      throw new RateLimited(
        seconds,
        `Other people's exports wait to be fetched and leave no room for this one. Try again in ${seconds} seconds.`,
      )
    }
    mine.bytes += bytes
    mine.dueAt = dueAt(mine.bytes)
  }

  return {
    /**
     * Reads an account to a file as fast as the database gives it, so that no reader who is slow holds a transaction. The file is to be sent.
     * @param hasLeft whether nobody waits for it any more
     * @throws RateLimited when the user's last one has not been read yet, the node writes two already, or others' files leave no
     * room; TooLarge when there is never room for one as large; NotFound when its reader has left
     */
    async write(database: DatabaseClient, what: Export, hasLeft: () => boolean): Promise<ExportFile> {
      const { id } = what.user
      if (held.has(id)) throw new RateLimited(5, "An export of yours is under way. Wait for it to end.")
      if (writing >= MAX_AT_ONCE)
        throw new RateLimited(5, "Other people's exports are under way. Try again in a few seconds.")
      const mine: Held = { bytes: 0, dueAt: dueAt(0) }
      held.set(id, mine)
      writing++
      let file: FileHandle | undefined
      try {
        const into = await openUnnamed()
        file = into
        await exportAccount(database, what, async (pieces) => {
          for await (const piece of pieces) {
            if (hasLeft()) throw new NotFound()
            makeRoom(mine, Buffer.byteLength(piece))
            await into.appendFile(piece)
          }
        })
        return {
          bytes: mine.bytes,
          send: (response) => sendFile(into, response, { stalledMs, dueAt: mine.dueAt }).finally(() => held.delete(id)),
        }
      } catch (error) {
        held.delete(id)
        await file?.close()
        throw error
      } finally {
        writing--
      }
    },
  }
}

/** Sends a file as fast as it is taken, but for no longer than until `dueAt` on the clock of this process, and closes it. */
export async function sendFile(
  file: FileHandle,
  response: Response,
  { dueAt, stalledMs }: { readonly dueAt: number; readonly stalledMs: number },
): Promise<Buffer> {
  const cut = setTimeout(() => response.destroy(), dueAt - performance.now())
  let last = Buffer.alloc(0)
  try {
    for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
      await sendPiece(last, response, stalledMs)
      last = piece
    }
    return last
  } finally {
    clearTimeout(cut)
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

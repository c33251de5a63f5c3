import { NotFound, TooLarge } from "../errors.js"
import type { PartStore, StoredUpload } from "./storage.js"

/** What one part may still take of its upload's announced size, while it comes. */
export type PartRoom = {
  /** @throws TooLarge when a part of so many bytes does not fit */
  hold(bytes: number): void
  /** Counts bytes as they come. @throws TooLarge */
  take(bytes: number): void
  /** Ends it; `isKept` says whether the store has the part. */
  leave(isKept: boolean): void
}

type Coming = { readonly partNumber: number; bytes: number }
type Tally = { readonly stored: Map<number, number>; readonly coming: Set<Coming> }

/**
 * Holds parts to what the size of their upload leaves beside all others: those that the store lists, and those that come to
 * this process at the same time. A part that comes again takes the place of the one before.
 */
export function partRooms({ listParts }: Pick<PartStore, "listParts">) {
  const tallies = new Map<string, Tally>()

  /** @throws NotFound for an upload that is not open at the store */
  return async (upload: StoredUpload, partNumber: number, fileSize: number): Promise<PartRoom> => {
    const tally: Tally = tallies.get(upload.key) ?? { stored: new Map(), coming: new Set() }
    tallies.set(upload.key, tally)
    const own: Coming = { partNumber, bytes: 0 }
    // Before the look, so that a part that ends during it, and may not be in it, is not forgotten with the last that came.
    tally.coming.add(own)
    const listed = await listParts(upload).catch((error: unknown) => {
      leave(false)
      throw error
    })
    if (listed === undefined) {
      leave(false)
      throw new NotFound("There is no such upload, or it is finished.")
    }
    // What others have stored since the last look counts too; what came here meanwhile is known already.
    for (const part of listed) if (!tally.stored.has(part.partNumber)) tally.stored.set(part.partNumber, part.sizeBytes)

    function leave(isKept: boolean): void {
      if (isKept) tally.stored.set(partNumber, own.bytes)
      tally.coming.delete(own)
      if (tally.coming.size === 0) tallies.delete(upload.key)
    }
    function left(): number {
      const others = new Map(tally.stored)
      for (const { partNumber: number, bytes } of tally.coming)
        others.set(number, Math.max(bytes, others.get(number) ?? 0))
      others.delete(partNumber)
      let bytes = fileSize
      for (const size of others.values()) bytes -= size
      return Math.max(bytes, 0)
    }
    function hold(bytes: number): void {
      const most = left()
      if (bytes > most) throw new TooLarge(most)
    }
    return {
      hold,
      take(bytes) {
        own.bytes += bytes
        hold(own.bytes)
      },
      leave,
    }
  }
}

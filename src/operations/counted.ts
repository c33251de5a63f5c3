import type { Held, RunQuery } from "../context.js"

/** Less than this is not counted, as of rows that a statement reads. */
const PORTION_BYTES = 65_536
/** What a number, an instant or an empty text takes. */
const VALUE_BYTES = 8

/** Counts for an answer what queries of Prisma give, once each has been read. */
export const countedIn =
  (held: Pick<Held, "read">): RunQuery =>
  async (query) => {
    const result = await query()
    const bytes = bytesOf(result)
    if (bytes >= PORTION_BYTES) held.read(bytes)
    return result
  }

function bytesOf(value: unknown): number {
  if (typeof value === "string") return VALUE_BYTES + Buffer.byteLength(value)
  if (value instanceof Uint8Array) return VALUE_BYTES + value.byteLength
  if (typeof value !== "object" || value === null || value instanceof Date) return VALUE_BYTES
  let bytes = VALUE_BYTES
  for (const member of Object.values(value)) bytes += bytesOf(member)
  return bytes
}

import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "../../context.js"
import { InvalidFields, NotFound, RefusedInWords, Unavailable } from "../../errors.js"
import type { Id } from "../../statement.js"
import { newStorageKey, PartsRefused, type StoredPart } from "../../storage/storage.js"
import type { CreateUploadInput } from "./upload.input.js"
import { releaseUpload, restartUpload } from "./upload.rows.js"
import {
  claimUpload,
  finishUploadRow,
  insertUpload,
  type PartDigest,
  renewClaim,
  uploadById,
} from "./upload.statements.js"
import { type Upload, type UploadRow, UploadState } from "./upload.type.js"

// An upload is in one of three states:
//
//   new        parts are sent, any of them again
//     → finishing   somebody asks to finish it, and claims the row (`finishing_until`)
//     → gone        its user is deleted, or it has stayed so for too long (jobs/abandoned-uploads)
//   finishing  still `new` for clients: one request has the store put the parts together and renews its claim, others wait
//     → finished    the store has it whole
//     → new         parts are missing, too many or not those that were announced; or the claim ended with its node. Where there were
//                   too many, the upload at the store is begun anew.
//     → gone        its user is deleted meanwhile; the bytes are removed
//   finished   asked again, it answers as it is. A file may be made of it.

const RENEW_EVERY_MS = 10_000
/** How often and how long a request looks whether another one has finished the upload. */
const LOOK_EVERY_MS = 100
const PATIENCE_MS = 60_000

const refusal = (reason: string) => new RefusedInWords(["state", reason])
const NO_PARTS = "there are no parts uploaded to finish it"

const asUpload = ({ id, userId, state }: UploadRow): Upload => ({ id, userId, state })

function withPart({ storage, now }: Context, row: UploadRow, partNumber: number): Upload {
  const upload = { key: row.storageKey, uploadId: row.storageUploadId }
  const { expiresAt, ...part } = storage.signPart(upload, partNumber, now())
  return { ...asUpload(row), expiresAt, part }
}

/**
 * Starts an upload at the store, and then keeps it: what breaks off in between leaves nothing but an upload there that
 * nobody knows, which collection ends. (§4 Uploads, POST) @throws Unavailable when the store is not there
 */
export async function createUpload(context: Context, input: CreateUploadInput): Promise<Upload> {
  const { db, viewer, storage } = context
  const key = newStorageKey("uploads")
  const uploadId = await storage.startUpload(key)
  const { fileName, contentType, fileSize, md5sum } = input
  const partNumber = input.partNumber ?? 1
  const values = [viewer.userId, fileName, contentType, fileSize, key, uploadId, partNumber, md5sum]
  try {
    const [row] = await db.run(insertUpload, values)
    return withPart(context, row as UploadRow, partNumber)
  } catch (error) {
    await storage.abortUpload({ key, uploadId }).catch(() => {}) // collection would end it too
    throw error
  }
}

/** The credentials of one part. (§4 Uploads, GET) @throws NotFound, InvalidFields for a finished upload */
export async function signPart(context: Context, id: Id, partNumber: number, md5sum?: string | null): Promise<Upload> {
  const { db, viewer } = context
  const [row] = await db.run(uploadById, [id, viewer.userId, partNumber, md5sum])
  if (row === undefined) throw new NotFound()
  if (row.state === UploadState.finished) throw new InvalidFields({ state: ["is finished: it accepts no more parts"] })
  return withPart(context, row, partNumber)
}

/** Whether an upload is the viewer's own. @throws NotFound */
export async function mayFinishUpload({ db, viewer }: Context, id: Id): Promise<void> {
  if ((await db.run(uploadById, [id, viewer.userId, null, null])).length === 0) throw new NotFound()
}

/**
 * Lets the store put the parts together, once however many ask: the others wait for the one that does. Finished before, it
 * is answered as it is. Parts that are more than the file was to have are deleted at once. (§4 Uploads, PATCH)
 * @throws NotFound, RefusedInWords (no parts, not the size or MD5 that were announced; it stays new)
 */
export async function finishUpload(context: Context, id: Id): Promise<Upload> {
  const { db, viewer, now } = context
  for (const end = now().getTime() + PATIENCE_MS; now().getTime() < end; await sleep(LOOK_EVERY_MS)) {
    const [claimed] = await db.run(claimUpload, [id, viewer.userId])
    if (claimed !== undefined) return finishClaimed(context, claimed)
    const [row] = await db.run(uploadById, [id, viewer.userId, null, null])
    if (row === undefined) throw new NotFound()
    if (row.state === UploadState.finished) return asUpload(row)
  }
  throw new Unavailable("The upload is still being finished. Try again shortly.")
}

async function finishClaimed(
  { db, storage }: Context,
  { row, digests }: { row: UploadRow; digests: readonly PartDigest[] },
): Promise<Upload> {
  const renewal = setInterval(() => void db.run(renewClaim, [row.id]).catch(() => {}), RENEW_EVERY_MS)
  try {
    await completeAtStore({ db, storage }, row, digests)
    const [finished] = await db.run(finishUploadRow, [row.id])
    if (finished !== undefined) return asUpload(finished)
    // Its user was deleted meanwhile, and its bytes with them, before the bytes were there.
    await storage.remove(row.storageKey)
    throw new NotFound()
  } catch (error) {
    await releaseUpload(db, row.id).catch(() => {}) // it ends by itself
    throw error
  } finally {
    clearInterval(renewal)
  }
}

async function completeAtStore(
  { db, storage }: Pick<Context, "db" | "storage">,
  row: UploadRow,
  digests: readonly PartDigest[],
): Promise<void> {
  const upload = { key: row.storageKey, uploadId: row.storageUploadId }
  // The store forgets an upload that it has completed; a request that did not live to say so may have done it.
  const isComplete = async () => (await storage.sizeOf(upload.key)) === row.fileSize
  const parts = await storage.listParts(upload)
  if (parts === undefined && (await isComplete())) return
  if (parts === undefined || parts.length === 0) throw refusal(NO_PARTS)
  const sum = parts.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)
  if (sum > row.fileSize) {
    // Where clients send parts to the store itself, nobody could refuse them before.
    await restartUpload(db, row.id, await storage.startUpload(upload.key))
    await storage.abortUpload(upload)
    throw refusal(`the parts have ${sum} bytes together and file_size is ${row.fileSize}: send all of them again`)
  }
  if (sum < row.fileSize) throw refusal(`the parts have ${sum} bytes together and file_size is ${row.fileSize}`)
  refuseOtherBytes(parts, new Map(digests.map((digest) => [digest.partNumber, digest])))
  try {
    await storage.completeUpload(upload, parts)
  } catch (error) {
    if (!(error instanceof PartsRefused)) throw error
    if (!(await isComplete())) throw refusal(error.reason)
  }
}

function refuseOtherBytes(parts: readonly StoredPart[], digests: ReadonlyMap<number, PartDigest>): void {
  const wrong = parts.find(({ partNumber, etag }) => {
    const digest = digests.get(partNumber)
    return digest !== undefined && digest.md5 !== etag && digest.etag !== etag
  })
  if (wrong !== undefined)
    throw refusal(`part ${wrong.partNumber} is not known to have the MD5 that was announced: send it again`)
}

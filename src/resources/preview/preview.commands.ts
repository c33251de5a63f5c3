import { buffer } from "node:stream/consumers"
import { listOpenTo } from "../../access/access.js"
import type { Context, Transacted } from "../../context.js"
import { NotFound, RefusedInWords } from "../../errors.js"
import type { Prisma } from "../../generated/prisma/client.js"
import { found } from "../../loading/loader.js"
import { inTurn, type Thumbnail, thumbnailOf } from "../../pictures/thumbnail.js"
import type { Id } from "../../statement.js"
import { exactBytes, newStorageKey, type Storage } from "../../storage/storage.js"
import { announceBytes, insertPreview } from "./preview.statements.js"
import { type Preview, previewPath, widthFor } from "./preview.type.js"

/** A larger picture is not fetched to be made small. */
const MAX_PICTURE_BYTES = 50 * 1024 ** 2

/** What clients of the retired service call sizes, in pixels. */
const SIZES: Readonly<Record<string, number>> = { nonretina: 512, retina: 1_024 }

const noPicture = () => new RefusedInWords(["bad request"])

const STORED = { id: true, storageKey: true, fileSize: true } satisfies Prisma.FileSelect

type Stored = Prisma.FileGetPayload<{ select: typeof STORED }>

/** Where the bytes of a file lie whose address was signed: of a list that was deleted, files remain for a while. @throws NotFound */
export async function bytesOfFile({ prisma }: Pick<Transacted, "prisma">, id: Id): Promise<Stored> {
  const where = { id: BigInt(id), task: { list: { deletedAt: null } } }
  return found([await prisma.file.findFirst({ where, select: STORED })])
}

/** What is asked of a thumbnail: a width, or a size by name; `nonretina` when neither is given. */
export type PreviewOptions = { readonly width?: number | null; readonly size?: string | null }

/** Where a file's thumbnail is, made now if it never was. (GET /previews) @throws NotFound, RefusedInWords for what has none */
export async function makePreview(context: Context, fileId: Id, { width, size }: PreviewOptions): Promise<Preview> {
  const { db, viewer, sign } = context
  const where = { id: BigInt(fileId), task: { list: listOpenTo(viewer.userId) } }
  const file = found([await db.prisma.file.findFirst({ where, select: STORED })])
  const name = size ?? (width == null ? "nonretina" : String(width))
  const wanted = width ?? (Object.hasOwn(SIZES, name) ? SIZES[name] : undefined)
  if (wanted === undefined) throw noPicture()
  const made = widthFor(wanted)
  await thumbnailIn(context, file, made)
  return { ...sign(previewPath(fileId, made)), size: name }
}

/**
 * The thumbnail of a file in one of the widths that are kept: made once, then stored.
 * @throws RefusedInWords for a file that is no picture, NotFound when it goes meanwhile
 */
export async function thumbnailIn(
  { db, storage }: { db: Pick<Transacted, "run" | "prisma">; storage: Storage },
  file: Stored,
  width: number,
): Promise<{ storageKey: string; contentType: string }> {
  const fileSize = Number(file.fileSize)
  const where = { fileId_width: { fileId: file.id, width } }
  const find = () => db.prisma.preview.findUnique({ where, select: { storageKey: true, contentType: true } })
  const known = await find()
  if (known !== null) return known
  if (fileSize > MAX_PICTURE_BYTES) throw noPicture()
  const thumbnail = await inTurn(async (): Promise<Thumbnail | undefined> => {
    // What lies there is looked at, and not what its file says of it; no more of it is read than was seen.
    const sizeBytes = await storage.sizeOf(file.storageKey)
    if (sizeBytes === undefined) throw new NotFound()
    if (sizeBytes !== fileSize) return undefined
    const bytes = await storage.read(file.storageKey, { start: 0, end: sizeBytes - 1 })
    if (bytes === undefined) throw new NotFound()
    return thumbnailOf(await buffer(exactBytes(bytes, sizeBytes)), width)
  })
  if (thumbnail === undefined) throw noPicture()
  const storageKey = newStorageKey("previews")
  await db.run(announceBytes, [storageKey])
  await storage.write(storageKey, thumbnail.bytes)
  await db.run(insertPreview, [String(file.id), width, thumbnail.contentType, storageKey])
  return found([await find()])
}

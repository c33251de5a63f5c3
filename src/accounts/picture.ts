import { randomBytes } from "node:crypto"
import type { Rows } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import { InvalidFields } from "../errors.js"
import type { Id } from "../statement.js"
import { changedBy } from "./account.rows.js"

/** The largest picture that is taken. */
export const PICTURE_LIMIT_BYTES = 1_000_000

/** What the first bytes of a picture are, so that nobody's word is taken for what it is. */
const KINDS: readonly { extension: string; type: string; begins: RegExp }[] = [
  { extension: "png", type: "image/png", begins: /^\x89PNG\r\n/ },
  { extension: "jpg", type: "image/jpeg", begins: /^\xff\xd8\xff/ },
  { extension: "webp", type: "image/webp", begins: /^RIFF[\s\S]{4}WEBP/ },
  { extension: "gif", type: "image/gif", begins: /^GIF8[79]a/ },
]

// The user's row is changed first, so that two changes of one picture wait for each other.

/** Gives a user a picture. It gets an address of its own, which is never another picture's. @throws InvalidFields */
export async function setPicture(
  { prisma }: Rows,
  userId: Id,
  bytes: Buffer<ArrayBuffer>,
  publicUrl: string,
  requestId: string,
): Promise<void> {
  const kind = KINDS.find(({ begins }) => begins.test(bytes.subarray(0, 16).toString("latin1")))
  if (kind === undefined) throw new InvalidFields({ picture: ["must be a PNG, JPEG, WebP or GIF"] })
  const name = `${randomBytes(15).toString("base64url")}.${kind.extension}`
  const picture = { name, contentType: kind.type, content: bytes }
  await prisma.user.update({
    where: { id: BigInt(userId) },
    data: {
      ...changedBy(userId, requestId),
      avatarUrl: `${publicUrl}/pictures/${name}`,
      picture: { upsert: { create: picture, update: picture } },
    },
    select: { id: true },
  })
}

/** Removes a user's picture; a drawn one takes its place again. */
export const removePicture = (database: DatabaseClient, userId: Id, requestId: string): Promise<void> =>
  database.transaction(async ({ prisma }) => {
    const data = { ...changedBy(userId, requestId), avatarUrl: null }
    await prisma.user.updateMany({ where: { id: BigInt(userId) }, data })
    await prisma.picture.deleteMany({ where: { userId: BigInt(userId) } })
  })

const NAME = /^[\w-]{20}\.[a-z]{3,4}$/

/** Null for what is no name of ours, too, which asks the database nothing. */
export const findPicture = async ({ prisma }: Rows, name: string) =>
  NAME.test(name) ? prisma.picture.findUnique({ where: { name }, select: { contentType: true, content: true } }) : null

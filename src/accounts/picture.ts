import { randomBytes } from "node:crypto"
import { InvalidFields } from "../errors.js"
import { type Id, type Runner, statement } from "../statement.js"

/** The largest picture that is taken. */
export const PICTURE_LIMIT_BYTES = 1_000_000

/** What the first bytes of a picture are, so that nobody's word is taken for what it is. */
const KINDS: readonly { extension: string; type: string; begins: RegExp }[] = [
  { extension: "png", type: "image/png", begins: /^\x89PNG\r\n/ },
  { extension: "jpg", type: "image/jpeg", begins: /^\xff\xd8\xff/ },
  { extension: "webp", type: "image/webp", begins: /^RIFF[\s\S]{4}WEBP/ },
  { extension: "gif", type: "image/gif", begins: /^GIF8[79]a/ },
]

const putPicture = statement(
  "put_picture",
  `with p as (insert into pictures (user_id, name, content_type, content) values ($1::bigint, $2, $3, $4)
     on conflict (user_id) do update set name = excluded.name, content_type = excluded.content_type, content = excluded.content)
   update users set avatar_url = $5, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $6 where id = $1::bigint`,
  () => true,
)
const dropPicture = statement(
  "drop_picture",
  `with p as (delete from pictures where user_id = $1::bigint)
   update users set avatar_url = null, updated_at = now(), updated_by_id = $1::bigint, updated_by_request_id = $2 where id = $1::bigint`,
  () => true,
)
const pictureNamed = statement(
  "picture_named",
  "select content_type, content from pictures where name = $1",
  ([type, bytes]) => ({
    type: type as string,
    content: Buffer.from((bytes as string).slice(2), "hex"),
  }),
)

/** Gives a user a picture. It gets an address of its own, which is never another picture's. @throws InvalidFields */
export async function setPicture(
  database: Runner,
  userId: Id,
  bytes: Buffer,
  publicUrl: string,
  requestId: string,
): Promise<void> {
  const kind = KINDS.find(({ begins }) => begins.test(bytes.subarray(0, 16).toString("latin1")))
  if (kind === undefined) throw new InvalidFields({ picture: ["must be a PNG, JPEG, WebP or GIF"] })
  const name = `${randomBytes(15).toString("base64url")}.${kind.extension}`
  await database.run(putPicture, [userId, name, kind.type, bytes, `${publicUrl}/pictures/${name}`, requestId])
}

/** Removes a user's picture; a drawn one takes its place again. */
export const removePicture = (database: Runner, userId: Id, requestId: string) =>
  database.run(dropPicture, [userId, requestId])

const NAME = /^[\w-]{20}\.[a-z]{3,4}$/

/** Undefined for what is no name of ours, which asks the database nothing. */
export const findPicture = async (database: Runner, name: string) =>
  NAME.test(name) ? (await database.run(pictureNamed, [name]))[0] : undefined

import express, { type Router } from "express"
import { MissingParameter, NotFound, type Violations } from "../../errors.js"
import { AVATAR_SIZES, avatarUrlOf, NO_AVATAR_SIZE } from "../../pictures/avatar.js"
import { drawAvatar } from "../../pictures/avatar-picture.js"
import { idOf } from "../../scalars/scalars.js"
import { type Runner, statement } from "../../statement.js"
import { getOnly } from "../http/get-only.js"
import { booleanOf, queryOf, withoutZeros } from "../rest/parameters.js"

/** What the pictures of users need of the node. */
export type AvatarParts = {
  readonly db: Runner
  /** Where clients reach the service, without a slash at the end. */
  publicUrl(): string
}

// People who were invited but never signed up have no name of their own.
const publicFaceOfUser = statement(
  "public_face_of_user",
  "select case when verified_at is null then '' else name end, avatar_url from users where id = $1::bigint",
  ([name, avatarUrl]) => ({ name: name as string, avatarUrl: avatarUrl ?? null }),
)

const DEFAULT_SIZE = 128
/** No two letters need more. */
const MAX_INITIALS = 16

/**
 * Pictures of users, which need no token: `GET /api/v1/avatar?user_id&size&fallback` leads to a user's picture, and
 * `GET /avatars/:id.png` draws one for users without a picture. It reveals no more than that picture or the initials.
 * Mount it before what asks for a token.
 */
export function avatars({ db, publicUrl }: AvatarParts): Router {
  const router = express.Router()
  router.get("/api/v1/avatar", async (request, response) => {
    const query = queryOf(request)
    const { id, size, fallback } = wanted(query)
    const [user = { name: "", avatarUrl: null }] = await db.run(publicFaceOfUser, [id])
    response.set("Cache-Control", "public, max-age=300")
    if (user.avatarUrl === null && !fallback) return void response.status(204).end()
    response
      .status(302)
      .location(avatarUrlOf(publicUrl(), { id, ...user }, size))
      .end()
  })
  router.get("/avatars/:id.png", async (request, response) => {
    const query = queryOf(request)
    const id = idOf(request.params.id)
    if (id === "0") throw new NotFound()
    const size = Number(query.get("size"))
    const initials = (query.get("initials") ?? "").slice(0, MAX_INITIALS)
    const { png, etag } = await drawAvatar(id, initials, AVATAR_SIZES.includes(size) ? size : DEFAULT_SIZE)
    response
      .set({
        "Content-Type": "image/png",
        ETag: etag,
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": "public, max-age=86400",
      })
      .send(png)
  })
  for (const path of ["/api/v1/avatar", "/avatars/:id.png"]) router.all(path, getOnly)
  return router
}

/** Reads the parameters; `size` is undefined for the original. @throws MissingParameter, NotFound for what cannot be an id */
function wanted(query: ReadonlyMap<string, string>): { id: string; size: number | undefined; fallback: boolean } {
  const violations: Violations = {}
  const userId = query.get("user_id")
  if (userId === undefined || userId === "") violations.userId = ["required"]
  else if (!/^\d+$/.test(userId)) violations.userId = ["must be an integer"]
  const size = query.get("size")
  const isOriginal = size === undefined || size === "" || size === "original"
  if (!isOriginal && !AVATAR_SIZES.map(String).includes(size)) violations.size = [`${NO_AVATAR_SIZE}, or original`]
  const fallback = booleanOf(query.get("fallback") ?? "true")
  if (fallback === undefined) violations.fallback = ["must be a boolean"]
  if (Object.keys(violations).length > 0) throw new MissingParameter(violations)
  const id = idOf(userId && withoutZeros(userId))
  if (id === "0") throw new NotFound()
  return { id, size: isOriginal ? undefined : Number(size), fallback: fallback === true }
}

import express, { type Response, type Router } from "express"
import { AVATAR_SIZES, NO_AVATAR_SIZE } from "../avatar.js"
import { type Faults, MissingParameter, NotFound } from "../errors.js"
import { queryOf } from "../rest/parameters.js"
import { idOf } from "../scalars.js"
import { type Runner, statement } from "../statement.js"

/** What the pictures of users need of the node. */
export type AvatarParts = {
  readonly db: Runner
  /** Where clients reach the service, without a slash at the end. */
  publicUrl(): string
}

const pictureOfUser = statement(
  "picture_of_user",
  "select avatar_url from users where id = $1::bigint and avatar_url is not null",
  ([url]) => url as string,
)

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  True: true,
  TRUE: true,
  1: true,
  false: false,
  False: false,
  FALSE: false,
  0: false,
}
const DEFAULT_SIZE = 128
const COLOURS = [
  "#b3261e",
  "#a63c79",
  "#7b4fb5",
  "#4a5fc1",
  "#2b6cb0",
  "#1f7a8c",
  "#2f7d4f",
  "#5f7a1f",
  "#8a6d1a",
  "#a85b1c",
  "#7a5548",
  "#546e7a",
]

/**
 * Pictures of users, which need no token: `GET /api/v1/avatar?user_id&size&fallback` leads to a user's picture, and
 * `GET /avatars/:id.svg` draws one for whoever has none. Neither tells whether there is such a user. Mount it before what
 * asks for a token.
 */
export function avatars({ db, publicUrl }: AvatarParts): Router {
  const router = express.Router()
  router.get("/api/v1/avatar", async (request, response) => {
    const query = queryOf(request)
    const { id, size, fallback } = wanted(query)
    const [picture] = await db.run(pictureOfUser, [id])
    response.set("Cache-Control", "public, max-age=300")
    if (picture === undefined && !fallback) return void response.status(204).end()
    const drawn = `${publicUrl()}/avatars/${id}.svg${size === undefined ? "" : `?size=${size}`}`
    response
      .status(302)
      .location(picture ?? drawn)
      .end()
  })
  router.get("/avatars/:id.svg", (request, response) => {
    const query = queryOf(request)
    const id = idOf(request.params.id)
    if (id === "0") throw new NotFound()
    const size = Number(query.get("size"))
    sendSvg(response, drawing(id, query.get("initials") ?? "", AVATAR_SIZES.includes(size) ? size : DEFAULT_SIZE))
  })
  return router
}

/** Reads the parameters; `size` is undefined for the original. @throws MissingParameter, NotFound for what cannot be an id */
function wanted(query: ReadonlyMap<string, string>): { id: string; size: number | undefined; fallback: boolean } {
  const faults: Faults = {}
  const userId = query.get("user_id")
  if (userId === undefined || userId === "") faults.userId = ["required"]
  else if (!/^\d+$/.test(userId)) faults.userId = ["must be an integer"]
  const size = query.get("size")
  const isOriginal = size === undefined || size === "" || size === "original"
  if (!isOriginal && !AVATAR_SIZES.map(String).includes(size)) faults.size = [`${NO_AVATAR_SIZE}, or original`]
  const fallback = query.get("fallback") ?? "true"
  if (!Object.hasOwn(BOOLEANS, fallback)) faults.fallback = ["must be a boolean"]
  if (Object.keys(faults).length > 0) throw new MissingParameter(faults)
  const id = idOf(userId)
  if (id === "0") throw new NotFound()
  return { id, size: isOriginal ? undefined : Number(size), fallback: BOOLEANS[fallback] === true }
}

/** At most two letters, so that the address cannot make us say something; markup cannot be among them. */
const lettersOf = (initials: string): string => (initials.match(/[\p{L}\p{N}]/gu) ?? []).slice(0, 2).join("")

function drawing(id: string, initials: string, size: number): string {
  const colour = COLOURS[Number(BigInt(id) % BigInt(COLOURS.length))]
  const letters = lettersOf(initials)
  const figure =
    letters === ""
      ? '<g fill="#fff"><circle cx="32" cy="25" r="11"/><path d="M12 56a20 18 0 0 1 40 0z"/></g>'
      : `<text x="32" y="32" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="26" fill="#fff">${letters}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 64 64"><rect width="64" height="64" fill="${colour}"/>${figure}</svg>`
}

// A drawing runs nothing and loads nothing, also when it is opened by itself.
const sendSvg = (response: Response, svg: string): void =>
  void response
    .set({
      "Content-Type": "image/svg+xml; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "cross-origin",
      "Cache-Control": "public, max-age=86400",
    })
    .send(svg)

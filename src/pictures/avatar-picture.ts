import { createHash } from "node:crypto"
import { LRUCache } from "lru-cache"
import { Unavailable } from "../errors.js"
import { type LetterShape, shapeOf } from "./letter-shapes.js"
import { inTurn } from "./thumbnail.js"

/** A drawn picture of a user. */
export type AvatarPicture = {
  /** A square PNG. */
  readonly png: Buffer
  /** A name for exactly these bytes, in quotes. */
  readonly etag: string
}

/** Behind white, each has at least the contrast that WCAG AA asks of small text: 4.5 to 1. */
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

// The picture has 64 units; letters have 20, before they are scaled.
const SIDE = 64
const LETTER_HEIGHT = 20
const PEN = 3
const GAP = 5
const MAX_SCALE = 1.15
const WIDEST = 42

const MAX_CACHED = 1_000
/** Requests need no token, and there are a million pictures: the queue is bounded, and thumbnails get their turn. */
const MAX_WAITING = 100

// What is kept is a promise, so that many who ask for one picture at once wait for one drawing.
const drawn = new LRUCache<string, Promise<AvatarPicture>>({ max: MAX_CACHED })
let waiting = 0

/**
 * Draws a user's picture: their initials in white on a colour of their own, at most two; the figure of a person where none of them
 * can be drawn. The same for the same arguments, on every machine.
 * @param id decides the colour
 * @param size width and height in pixels
 * @throws Unavailable when too many wait to be drawn
 */
export async function drawAvatar(id: string, initials: string, size: number): Promise<AvatarPicture> {
  const colour = COLOURS[Number(BigInt(id) % BigInt(COLOURS.length))] as string
  const shapes = [...initials].flatMap((letter) => shapeOf(letter) ?? []).slice(0, 2)
  const svg = pictureOf(colour, shapes, size)
  const known = drawn.get(svg)
  if (known !== undefined) return known
  if (waiting >= MAX_WAITING) throw new Unavailable("Too many pictures are being drawn. Try again shortly.")
  waiting++
  const made = inTurn(() => paint(svg)).finally(() => waiting--)
  drawn.set(svg, made)
  made.catch(() => drawn.delete(svg))
  return made
}

function pictureOf(colour: string, shapes: readonly LetterShape[], size: number): string {
  const figure =
    shapes.length === 0
      ? '<g fill="#fff"><circle cx="32" cy="25" r="11"/><path d="M12 56a20 18 0 0 1 40 0z"/></g>'
      : inTheMiddle(shapes)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${SIDE} ${SIDE}"><rect width="${SIDE}" height="${SIDE}" fill="${colour}"/>${figure}</svg>`
}

function inTheMiddle(shapes: readonly LetterShape[]): string {
  const width = shapes.reduce((sum, shape) => sum + shape.width, (shapes.length - 1) * GAP)
  const scale = Math.min(MAX_SCALE, WIDEST / (width + PEN))
  let x = 0
  const letters = shapes.map((shape) => {
    const letter = `<path transform="translate(${x})" d="${shape.path}"/>`
    x += shape.width + GAP
    return letter
  })
  const left = (SIDE - width * scale) / 2
  const top = (SIDE - LETTER_HEIGHT * scale) / 2
  return `<g transform="translate(${left} ${top}) scale(${scale})" fill="none" stroke="#fff" stroke-width="${PEN}" stroke-linecap="round" stroke-linejoin="round">${letters.join("")}</g>`
}

async function paint(svg: string): Promise<AvatarPicture> {
  const { default: sharp } = await import("sharp")
  // The highest level takes twice the time of all else for a third of the bytes.
  const png = await sharp(Buffer.from(svg)).removeAlpha().png({ compressionLevel: 6 }).toBuffer()
  return { png, etag: `"${createHash("sha256").update(png).digest("base64url").slice(0, 22)}"` }
}

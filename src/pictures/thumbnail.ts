/** A picture as it goes out. */
export type Thumbnail = { readonly bytes: Buffer; readonly contentType: "image/png" | "image/jpeg" }

type Format = "gif" | "jpeg" | "png" | "tiff" | "webp"

/** How pictures begin, in hex, by their format. What else a library could read, SVG before all, is no picture here. */
const BEGINNINGS: readonly (readonly [Format, RegExp])[] = [
  ["gif", /^47494638(37|39)61/],
  ["jpeg", /^ffd8ff/],
  ["png", /^89504e470d0a1a0a/],
  ["tiff", /^(49492a00|4d4d002a|49492b00|4d4d002b)/],
  ["webp", /^52494646.{8}57454250/],
]

/** A picture is unpacked whole in memory, four bytes a pixel; only of a JPEG a smaller one can be read at once. */
const MOST_PIXELS: Record<Format, number> = { jpeg: 268e6, gif: 64e6, png: 64e6, tiff: 64e6, webp: 64e6 }
const TIMEOUT_S = 10
const JPEG_QUALITY = 82

/** How many are made at a time. */
const MOST_AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/** Runs `work` when there is room for it. */
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    waiting.shift()?.()
  }
}

function formatOf(bytes: Buffer): Format | undefined {
  const beginning = bytes.toString("hex", 0, 12)
  return BEGINNINGS.find(([, form]) => form.test(beginning))?.[0]
}

/**
 * A picture of at most `width` pixels made of a gif, jpeg, png, tiff or webp, upright, without what the camera wrote of
 * itself and its place; of an animation the first frame. Undefined for anything else, broken or monstrous pictures too.
 */
export async function thumbnailOf(bytes: Buffer, width: number): Promise<Thumbnail | undefined> {
  const format = formatOf(bytes)
  if (format === undefined) return undefined
  const { default: sharp } = await import("sharp")
  try {
    const picture = sharp(bytes, {
      limitInputPixels: MOST_PIXELS[format],
      pages: 1,
      failOn: "error",
      sequentialRead: true,
    })
    const { hasAlpha, format: found } = await picture.metadata()
    if (found !== format) return undefined
    const small = picture.autoOrient().resize({ width, withoutEnlargement: true }).timeout({ seconds: TIMEOUT_S })
    return hasAlpha
      ? { bytes: await small.png().toBuffer(), contentType: "image/png" }
      : { bytes: await small.jpeg({ quality: JPEG_QUALITY, mozjpeg: true }).toBuffer(), contentType: "image/jpeg" }
  } catch {
    return undefined // sharp says of every broken picture something else
  }
}

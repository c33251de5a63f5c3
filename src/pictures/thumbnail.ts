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

/** More takes too long to read, line by line too. */
const MAX_PIXELS: Record<Format, number> = { jpeg: 268e6, gif: 64e6, png: 64e6, tiff: 64e6, webp: 64e6 }
/** So much a picture may take that cannot be read line by line. */
const MAX_DECODED_BYTES = 80e6
const DEPTH_BYTES: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4, double: 8 }
const TIMEOUT_S = 10
const JPEG_QUALITY = 82

/** How many are made at a time. */
const MAX_AT_ONCE = 2
let running = 0
const waiting: (() => void)[] = []

/** Runs `work` when there is room for it. */
export async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
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

/** How a picture says that it is made, before it is unpacked. */
type Header = {
  readonly width: number
  readonly height: number
  readonly channels?: number
  readonly depth?: string
  readonly isProgressive?: boolean
  readonly orientation?: number
}

/**
 * About how many bytes are held at once to make a picture `wanted` pixels wide of one that is turned, or whose lines are not in
 * order in the file, as in interlaced ones; 0 for one that is read line by line.
 */
function heldBytes(format: Format, header: Header, wanted: number): number {
  const { width, height, channels = 4, depth = "uchar", isProgressive = false, orientation = 1 } = header
  const pixels = width * height
  const isTurned = orientation > 1
  if (format === "jpeg") {
    if (isProgressive) return 3 * pixels
    // Of a JPEG a smaller one is read at once: a half, a quarter or an eighth.
    const shrink = 2 ** Math.min(Math.max(Math.floor(Math.log2(Math.min(width, height) / wanted)), 0), 3)
    return isTurned ? (3 * pixels) / shrink ** 2 : 0
  }
  const isWhole = isTurned || isProgressive || format === "gif" || format === "tiff"
  return isWhole ? pixels * Math.max(channels, format === "gif" ? 4 : 1) * (DEPTH_BYTES[depth] ?? 1) : 0
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
      limitInputPixels: MAX_PIXELS[format],
      pages: 1,
      failOn: "error",
      sequentialRead: true,
    })
    const { hasAlpha, format: found, ...header } = await picture.metadata()
    if (found !== format || heldBytes(format, header, width) > MAX_DECODED_BYTES) return undefined
    const small = picture.autoOrient().resize({ width, withoutEnlargement: true }).timeout({ seconds: TIMEOUT_S })
    return hasAlpha
      ? { bytes: await small.png().toBuffer(), contentType: "image/png" }
      : { bytes: await small.jpeg({ quality: JPEG_QUALITY, mozjpeg: true }).toBuffer(), contentType: "image/jpeg" }
  } catch {
    return undefined // sharp says of every broken picture something else
  }
}

import { integerScalar } from "./integer-scalar.js"
import { Refusal, stringScalar, upTo } from "./scalars.js"

// The limits of §8 that only files have.

/** 5 GiB. */
const FILE_LIMIT_BYTES = 5 * 1024 ** 3
const LAST_PART = 10_000
const WIDEST_PREVIEW = 2_048

const withoutControls = (value: string): string => {
  if (/\p{Cc}/u.test(value)) throw new Refusal("must not contain control characters")
  return value
}

/** What a file is called: any name but one that would end a header's line. */
export const FileName = stringScalar({
  name: "FileName",
  description: "1 to 255 characters (Unicode code points), none of them a control character; stored verbatim.",
  check: (value) => upTo(255, 1)(withoutControls(value)),
})

/** What a client says a file's bytes are. Some clients say nothing, so that it may be empty. */
export const ContentType = stringScalar({
  name: "ContentType",
  description: "A media type: at most 255 characters, no control characters, possibly empty.",
  check: (value) => upTo(255)(withoutControls(value)),
})

/** A file's size, which a 32-bit integer cannot hold. */
export const ByteCount = integerScalar(
  "ByteCount",
  "A file's size in bytes: 1 to 5368709120 (5 GiB).",
  1,
  FILE_LIMIT_BYTES,
)

/** A part's number (§8): they start at 1. */
export const PartNumber = integerScalar("PartNumber", "The number of a part: 1 to 10000.", 1, LAST_PART)

/** How wide a thumbnail is to be. */
export const PreviewWidth = integerScalar("PreviewWidth", "A width in pixels: 1 to 2048.", 1, WIDEST_PREVIEW)

/** An MD5, in hex or in base64; hex in lower case inside. */
export const Md5 = stringScalar({
  name: "Md5",
  description: "An MD5 digest, as 32 hexadecimal digits or in base64.",
  check: (value) => {
    if (/^[0-9a-f]{32}$/i.test(value)) return value.toLowerCase()
    if (/^[A-Za-z0-9+/]{22}==$/.test(value)) return Buffer.from(value, "base64").toString("hex")
    throw new Refusal("must be an MD5 digest: 32 hexadecimal digits, or base64")
  },
})

import { isUtf8 } from "node:buffer"
import { UnreadableFile } from "./parsed-import.js"

const SAVE_AGAIN = "save it as UTF-8 and import it again"
const LINE_END = 0x0a

/** What a file is written in: UTF-16 says so by its first two bytes; without them it has to be UTF-8. */
function encodingOf(bytes: Buffer): "utf-8" | "utf-16le" | "utf-16be" {
  const mark = bytes.subarray(0, 2).toString("hex")
  if (mark === "fffe") return "utf-16le"
  return mark === "feff" ? "utf-16be" : "utf-8"
}

/** The first line, from 1 on, that holds bytes which are no UTF-8. */
function badLine(bytes: Buffer): number {
  let [line, start] = [1, 0]
  for (;;) {
    const end = bytes.indexOf(LINE_END, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line
    ;[line, start] = [line + 1, end + 1]
  }
}

/**
 * The text of a file in UTF-8, or in UTF-16 with its byte order mark. Nothing is guessed: what another encoding means would
 * stand in titles as characters that nobody wrote.
 * @throws UnreadableFile for any other encoding
 */
export function textOfFile(bytes: Buffer): string {
  const encoding = encodingOf(bytes)
  if (encoding === "utf-8" && bytes.subarray(0, 4).includes(0))
    throw new UnreadableFile(`the file is not UTF-8, but UTF-16 or UTF-32 without a byte order mark; ${SAVE_AGAIN}`)
  if (encoding === "utf-8" && !isUtf8(bytes))
    throw new UnreadableFile(`line ${badLine(bytes)}: is not UTF-8, as the whole file must be; ${SAVE_AGAIN}`)
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw new UnreadableFile(`the file begins as ${encoding.toUpperCase()} and is not that to its end; ${SAVE_AGAIN}`)
  }
}

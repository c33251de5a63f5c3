// The text of RFC 5545: lines that end in CRLF and have at most 75 octets, commas and semicolons escaped.

const MAX_LINE_OCTETS = 75

/**
 * A text value (RFC 5545, 3.3.11). Control characters are not allowed in it. Some readers end lines wherever Unicode does, so
 * those ends are escaped too: otherwise other members of a list could write properties in its titles.
 */
export const escaped = (text: string): string =>
  text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to go
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n")

/** How long a character is in UTF-8. */
const octetsOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)

/** One content line, folded between characters (RFC 5545, 3.1), with its end. */
export function contentLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_OCTETS) return `${line}\r\n`
  // By positions: a line of a megabyte is folded while nobody else is answered.
  const folded: string[] = []
  let start = 0
  let octets = 0
  for (let at = 0; at < line.length; ) {
    const point = line.codePointAt(at) as number
    const more = octetsOf(point)
    if (octets + more > MAX_LINE_OCTETS) {
      folded.push(line.slice(start, at))
      start = at
      octets = 1
    }
    octets += more
    at += point > 0xffff ? 2 : 1
  }
  folded.push(line.slice(start))
  return `${folded.join("\r\n ")}\r\n`
}

/** An instant in UTC: 20261201T093000Z. */
export const utc = (instant: string): string => `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`

/** A calendar date: 20261201. */
export const day = (date: string): string => date.replaceAll("-", "")

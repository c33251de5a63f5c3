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

/** One content line, folded between characters (RFC 5545, 3.1), with its end. */
export function contentLine(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_OCTETS) return `${line}\r\n`
  let folded = ""
  let octets = 0
  for (const character of line) {
    const more = Buffer.byteLength(character)
    if (octets + more > MAX_LINE_OCTETS) {
      folded += "\r\n "
      octets = 1
    }
    folded += character
    octets += more
  }
  return `${folded}\r\n`
}

/** An instant in UTC: 20261201T093000Z. */
export const utc = (instant: string): string => `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`

/** A calendar date: 20261201. */
export const day = (date: string): string => date.replaceAll("-", "")

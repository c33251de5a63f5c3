/** What is read as a way to somewhere or ends a line, and at the end what some systems strip so that another ending is left. */
const TREACHEROUS = /[/\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|[. ]+$/gu
const NOT_ATTRIBUTE = /[^A-Za-z0-9!#$&+.^_`|~-]/gu

/** A name as a person and a file system may be shown it; bidi controls could let `gnp.exe` read as `exe.png`. */
const safeName = (name: string): string => name.replace(TREACHEROUS, (found) => "_".repeat(found.length))

const percent = (char: string): string =>
  [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")

/**
 * The header value that makes an answer a download under a name, in both forms of RFC 6266: in ASCII for clients that know
 * no other, and whole.
 */
export function attachment(fileName: string): string {
  const name = safeName(fileName)
  const ascii = name.replace(/[^\x20-\x7e]|["%]/gu, "_")
  const whole = name.replace(NOT_ATTRIBUTE, percent)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}

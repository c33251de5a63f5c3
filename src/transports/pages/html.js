// JavaScript, and not TypeScript: browsers load this file as it stands, for what server and page show alike.

/** Markup that is safe to send: made by {@link html}, nothing else. */
export class Html {
  /** @param {string} markup */
  constructor(markup) {
    this.markup = markup
  }
  toString() {
    return this.markup
  }
}

/**
 * What may stand in a template: text is escaped, markup is not, lists are joined, what is absent is nothing.
 * @typedef {{ readonly length: number, readonly [place: number]: Part }} Parts
 * @typedef {string | number | Html | Parts | null | undefined | false} Part
 */

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "")

/** @type {(part: Part) => string} */
function written(part) {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.toString()
  if (typeof part === "string") return escaped(part)
  return typeof part === "number" ? String(part) : Array.from(part, written).join("")
}

/**
 * Markup with values, each escaped: html`<p>${name}</p>`. A value in an attribute stands between quotes.
 * @type {(texts: TemplateStringsArray, ...parts: readonly Part[]) => Html}
 */
export const html = (texts, ...parts) => new Html(texts.map((text, index) => text + written(parts[index])).join(""))

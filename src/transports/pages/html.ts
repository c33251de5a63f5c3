/** Markup that is safe to send: made by {@link html}, nothing else. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
  toString(): string {
    return this.markup
  }
}

/** What may stand in a template: text is escaped, markup is not, lists are joined, what is absent is nothing. */
export type Part = string | number | Html | readonly Part[] | null | undefined | false

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? "")

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ""
  if (part instanceof Html) return part.toString()
  if (typeof part === "string") return escaped(part)
  return typeof part === "number" ? String(part) : part.map(written).join("")
}

/** Markup with values, each escaped: html`<p>${name}</p>`. A value in an attribute stands between quotes. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(texts.map((text, index) => text + written(parts[index])).join(""))

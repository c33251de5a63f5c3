import { decodeHTML } from "entities"

/** The text of a body in HTML: its tags go, its lines stay. No pattern looks twice at a place, for mails become bodies too. */
export const textOfHtml = (html: string): string =>
  decodeHTML(
    html
      .replace(/\r?\n/g, " ")
      .replace(/<!--(?:(?!<!--)[\s\S])*?-->/g, "")
      .replace(/<(style|script|head)\b(?:(?!<\1\b)[\s\S])*?<\/\1>/gi, "")
      .replace(/<(br|\/p|\/div|\/li)\b[^<>]*>/gi, "\n")
      .replace(/<[^<>]+>/g, ""),
  )
    .replaceAll("\u00a0", " ")
    .replace(/(?<![ \t])[ \t]+\n/g, "\n")
    .trim()

import { Html, html, type Part } from "../pages/html.js"

// As much Markdown as descriptions and the pages about errors use; their text is ours. Whatever else stands in it stays as it is.

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[((?:`[^`]+`|[^\]`])+)\]\(([^)\s]+)\)/g

/** Text with `code`, **strong words** and links. `at` says where an address of the service is. */
function inline(text: string, at: (path: string) => string): Html {
  const parts: Part[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, label, address] = found
    parts.push(text.slice(end, found.index))
    end = found.index + whole.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong, at)}</strong>`)
    else if (label !== undefined && address !== undefined)
      parts.push(html`<a href="${address.startsWith("/") ? at(address) : address}">${inline(label, at)}</a>`)
  }
  parts.push(text.slice(end))
  return html`${parts}`
}

/** Markdown as markup: headings, paragraphs, lists and fenced code. */
export function markdown(text: string, at: (path: string) => string): Html {
  const blocks = text.trim().split(/\n{2,}(?=(?:[^`]|`(?!``)|```[\s\S]*?```)*$)/)
  return html`${blocks.map((block) => blockOf(block, at))}`
}

function blockOf(block: string, at: (path: string) => string): Html {
  const [, fenced] = /^```\w*\n([\s\S]*?)\n?```$/.exec(block) ?? []
  if (fenced !== undefined) return html`<pre>${fenced}</pre>`
  const [, marks, heading] = /^(#{1,3}) (.*)$/.exec(block) ?? []
  if (marks !== undefined && heading !== undefined) return headingOf(marks.length, inline(heading, at))
  if (block.startsWith("- "))
    return html`<ul>${block.split(/\n(?=- )/).map((item) => html`<li>${inline(item.slice(2), at)}</li>`)}</ul>`
  return html`<p>${inline(block, at)}</p>`
}

const headingOf = (level: number, content: Html): Html => new Html(`<h${level}>${content}</h${level}>\n`)

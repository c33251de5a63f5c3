import type { ComponentChild } from "preact"

// What people write into notes, shown without any markup of theirs: each part becomes an element or a text, never HTML.

const INLINE =
  /(`+)([^`]+?)\1|\*\*([^*]+?)\*\*|__([^_]+?)__|\*([^*\s][^*]*?)\*|\b_([^_]+?)_\b|~~([^~]+?)~~|\[([^\]]+)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()]*[^\s<>().,;:!?'"])/
const SAFE = /^(https?:|mailto:)/i

const link = (href: string, content: ComponentChild): ComponentChild =>
  SAFE.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {content}
    </a>
  ) : (
    content
  )

/** Emphasis, code and links within a line. */
function inline(text: string): ComponentChild[] {
  const found = INLINE.exec(text)
  if (found === null) return [text]
  const [all, , code, bold, bolder, italic, slanted, struck, label, href, address] = found
  const strong = bold ?? bolder
  const emphasis = italic ?? slanted
  const element =
    code !== undefined ? (
      <code>{code}</code>
    ) : strong !== undefined ? (
      <strong>{inline(strong)}</strong>
    ) : emphasis !== undefined ? (
      <em>{inline(emphasis)}</em>
    ) : struck !== undefined ? (
      <s>{inline(struck)}</s>
    ) : label !== undefined ? (
      link(href ?? "", inline(label))
    ) : (
      link(address ?? "", address)
    )
  return [text.slice(0, found.index), element, ...inline(text.slice(found.index + all.length))]
}

const lines = (texts: readonly string[]): ComponentChild[] =>
  texts.flatMap((line, place) => [place > 0 && "\n", ...inline(line)])

const FENCE = /^```/
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
const QUOTE = /^>\s?(.*)$/
const BULLET = /^\s*[-*+]\s+(.*)$/
const NUMBERED = /^\s*\d+[.)]\s+(.*)$/
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/
const BOX = /^\[([ xX])\]\s+(.*)$/

const item = (text: string): ComponentChild => {
  const [, mark, rest] = BOX.exec(text) ?? []
  return (
    <li class={mark === undefined ? undefined : "box"}>
      {mark === undefined ? inline(text) : [mark === " " ? "☐ " : "☑ ", ...inline(rest ?? "")]}
    </li>
  )
}

/** Takes the lines at the beginning that a pattern matches; gives what it finds in each. */
function taken(rest: string[], pattern: RegExp): string[] {
  const found: string[] = []
  for (
    let match = pattern.exec(rest[0] ?? "");
    match !== null && rest.length > 0;
    match = pattern.exec(rest[0] ?? "")
  ) {
    found.push(match[1] as string)
    rest.shift()
  }
  return found
}

function block(rest: string[]): ComponentChild {
  const [line = ""] = rest
  if (FENCE.test(line)) {
    rest.shift()
    const end = rest.findIndex((one) => FENCE.test(one))
    const code = rest.splice(0, end < 0 ? rest.length : end)
    rest.shift()
    return <pre>{code.join("\n")}</pre>
  }
  const heading = HEADING.exec(line)
  if (heading !== null) {
    rest.shift()
    return <p class="heading">{inline(heading[2] ?? "")}</p>
  }
  if (RULE.test(line)) {
    rest.shift()
    return <hr />
  }
  if (QUOTE.test(line)) return <blockquote>{blocks(taken(rest, QUOTE))}</blockquote>
  if (BULLET.test(line)) return <ul>{taken(rest, BULLET).map(item)}</ul>
  if (NUMBERED.test(line)) return <ol>{taken(rest, NUMBERED).map(item)}</ol>
  const texts: string[] = []
  do texts.push(rest.shift() as string)
  while (
    rest.length > 0 &&
    ![FENCE, HEADING, QUOTE, BULLET, NUMBERED, RULE, /^\s*$/].some((one) => one.test(rest[0] ?? ""))
  )
  return <p>{lines(texts)}</p>
}

function blocks(rest: string[]): ComponentChild[] {
  const all: ComponentChild[] = []
  while (rest.length > 0)
    if ((rest[0] ?? "").trim() === "") rest.shift()
    else all.push(block(rest))
  return all
}

/** A text as Markdown. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="markdown" dir="auto">
    {blocks(text.split(/\r?\n/))}
  </div>
)

import type { ComponentChild } from "preact"

// What people write into notes, shown without any markup of theirs: each part becomes an element or a text, never HTML. What is
// longer or deeper than people write is shown as it is: a note of another member may not hold up the page.

const MAX_TEXT = 20_000
const MAX_LINE = 2_000
const MAX_DEPTH = 8

// What would open another one ends the search for the end of a link or of code: else each would be looked for in all that follows.
const INLINE =
  /(?<!`)(`+)(?!`)([^`]+?)\1|\*\*([^*]+?)\*\*|__([^_]+?)__|\*([^*\s][^*]*?)\*|\b_([^_]+?)_\b|~~([^~]+?)~~|\[([^[\]]+)\]\(([^)[\s]+)\)|(https?:\/\/[^\s<>()]*[^\s<>().,;:!?'"])/g
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
function inline(text: string, depth = 0): ComponentChild[] {
  if (text.length > MAX_LINE || depth > MAX_DEPTH) return [text]
  const parts: ComponentChild[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    parts.push(text.slice(end, found.index), element(found, depth + 1))
    end = found.index + found[0].length
  }
  return [...parts, text.slice(end)]
}

function element(found: RegExpExecArray, depth: number): ComponentChild {
  const [, , code, bold, bolder, italic, slanted, struck, label, href, address] = found
  const strong = bold ?? bolder
  const emphasis = italic ?? slanted
  if (code !== undefined) return <code>{code}</code>
  if (strong !== undefined) return <strong>{inline(strong, depth)}</strong>
  if (emphasis !== undefined) return <em>{inline(emphasis, depth)}</em>
  if (struck !== undefined) return <s>{inline(struck, depth)}</s>
  return label === undefined ? link(address ?? "", address) : link(href ?? "", inline(label, depth))
}

const lines = (texts: readonly string[]): ComponentChild[] =>
  texts.flatMap((line, place) => [place > 0 && "\n", ...inline(line)])

const FENCE = /^```/
const HEADING = /^#{1,6}\s+(\S.*)$/
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

function block(rest: string[], depth: number): ComponentChild {
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
    return <p class="heading">{inline((heading[1] ?? "").trimEnd().replace(/\s#+$/, ""))}</p>
  }
  if (RULE.test(line)) {
    rest.shift()
    return <hr />
  }
  if (QUOTE.test(line) && depth < MAX_DEPTH) return <blockquote>{blocks(taken(rest, QUOTE), depth + 1)}</blockquote>
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

function blocks(rest: string[], depth = 0): ComponentChild[] {
  const all: ComponentChild[] = []
  while (rest.length > 0)
    if ((rest[0] ?? "").trim() === "") rest.shift()
    else all.push(block(rest, depth))
  return all
}

/** Markdown as elements, never as HTML; a text beyond the limit is shown as it is. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <div class="markdown" dir="auto">
    {text.length > MAX_TEXT ? <p>{text}</p> : blocks(text.split(/\r?\n/))}
  </div>
)

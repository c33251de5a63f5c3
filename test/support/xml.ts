const escaped = (text: string): string => text.replace(/[<>&"'\p{Cc}]/gu, (char) => `&#${char.charCodeAt(0)};`)

/** What becomes XML: text, an element's children by name, or several elements of one name. */
export type Node = string | number | boolean | { readonly [name: string]: Node | undefined } | readonly Node[]

function write(name: string, node: Node | undefined): string {
  if (node === undefined) return ""
  if (Array.isArray(node)) return node.map((one) => write(name, one)).join("")
  const inner =
    typeof node === "object"
      ? Object.entries(node)
          .map(([child, value]) => write(child, value))
          .join("")
      : escaped(String(node))
  return `<${name}>${inner}</${name}>`
}

/** A document of S3 with one root element. */
export const xml = (root: string, node: Node): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${write(root, node).replace(`<${root}>`, `<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">`)}`

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: "&", lt: "<", gt: ">" }

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(quot|apos|amp|lt|gt));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** The texts of a child element in every element of a name: all that a list of parts needs of XML. */
export function childrenOf(document: string, element: string, ...children: string[]): (string | undefined)[][] {
  const elements = document.match(new RegExp(`<${element}>[^]*?</${element}>`, "g")) ?? []
  return elements.map((text) =>
    children.map((child) => {
      const [, value] = new RegExp(`<${child}>([^<]*)</${child}>`).exec(text) ?? []
      return value === undefined ? undefined : unescaped(value.trim())
    }),
  )
}

import { describe, expect, it } from "vitest"

// By its path: the types of browsers are not those of the tests.
const path = "../../src/transports/pages/home/browser/markdown.tsx"
const { Markdown }: { Markdown(props: { text: string }): unknown } = await import(path)

type Node = { readonly type: unknown; readonly props: { readonly children?: unknown; readonly href?: string } }

/** What an element says: tags in brackets, and its texts. */
function shown(node: unknown): string {
  if (Array.isArray(node)) return node.map(shown).join("")
  if (node === undefined || node === null || typeof node === "boolean") return ""
  if (typeof node !== "object") return String(node)
  const { type, props } = node as Node
  const name = `${type}${props.href === undefined ? "" : ` ${props.href}`}`
  return `<${name}>${shown(props.children)}</>`
}
const markdown = (text: string): string => /^<div>(.*)<\/>$/s.exec(shown(Markdown({ text })))?.[1] ?? ""

describe("Markdown of notes", () => {
  it("shows emphasis, code, links, headings, quotes and lists", () => {
    expect(markdown("## Heading ##\na **b _c_** `d*` ~~e~~\n\n> f\n\n- g\n- [x] h\n\n1. i")).toBe(
      "<p>Heading</><p>a <strong>b <em>c</></> <code>d*</> <s>e</></><blockquote><p>f</></><ul><li>g</><li>☑ h</></><ol><li>i</></>",
    )
    expect(markdown("[a](https://b.example) https://c.example/d.")).toBe(
      "<p><a https://b.example>a</> <a https://c.example/d>https://c.example/d</>.</>",
    )
  })

  it("leads to no script, and makes no markup of what people write", () => {
    expect(markdown("[a](javascript:alert(1)) <b>c</b>")).toBe("<p>a) <b>c</b></>")
  })

  it.each([
    ["brackets", "[", 1_000_000],
    ["stars", "*a* ", 250_000],
    ["open stars", "**a", 6_000],
    ["quotes in quotes", "> ", 9_000],
    ["lines", "*a*\n", 4_900],
    ["links without an end", `${"[a](b".repeat(380)}\n`, 9],
    ["marks of code", `a${"`".repeat(1_900)}\n`, 10],
    ["spaces of a heading", "# ".padEnd(19_000), 1],
    ["brackets of lines", `${"[".repeat(1_900)}\n`, 10],
  ])("shows %s of a hostile note at once, and loses nothing of them", (_, text, times) => {
    const note = text.repeat(times)
    const plain = markdown(note).replaceAll(/<\/?[a-z]*>/g, "")
    const letters = (of: string) => of.replaceAll(/[\s*>#]/g, "")
    expect(letters(plain)).toBe(letters(note))
  })
})

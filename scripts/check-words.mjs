// Refuses the words that README's glossary lists under "Words to avoid", in text and as a part of names: a listed word stands for
// its plural, for names that it begins or is a part of, and for constants. Applied migrations cannot change, and the printed
// schemas repeat what src/ says.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

const README = "README.md"
const SECTION = /^### Words to avoid\n[\s\S]*?(?=^#|$(?![\s\S]))/m
const FOLDERS = ["src", "test", "scripts", "docs", "examples", "deploy", "prisma/schema.prisma", ".env.example", "*.md"]
const IS_TEXT = /\.(ts|mjs|cjs|js|md|sh|py|yaml|yml|json|prisma|example)$/

/** A row of that table: words in backticks, and what to write instead. */
const wordsOf = (line) => {
  const [, avoided = "", better = ""] = line.split("|")
  return [...avoided.matchAll(/`([^`]+)`/g)].map(([, word]) => ({ pattern: patternOf(word), better: better.trim() }))
}

/** Matches a word by itself, as the beginning of a name, as a later part of one, and in capitals. A word that ends with `_` begins constants. */
function patternOf(word) {
  if (word.endsWith("_")) return new RegExp(`(?<![A-Z_])${word}(?=[A-Z])`, "g")
  const [lower, ...rest] = word.replaceAll(/[ -]/g, "~")
  const upper = lower.toUpperCase()
  const [tail, capitals] = [rest.join(""), word.toUpperCase()].map((part) => part.replaceAll(/[~ -]/g, "[ -]"))
  return new RegExp(
    `(?:(?<![A-Za-z])[${lower}${upper}]|(?<=[a-z])${upper})${tail}s?(?![a-z])|(?<![A-Za-z])${capitals}S?(?![A-Za-z])`,
    "g",
  )
}

/** Undefined for a file that is deleted and not committed yet. */
function textOf(file) {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const words = (SECTION.exec(readFileSync(README, "utf8"))?.[0] ?? "").split("\n").flatMap(wordsOf)
const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...FOLDERS]
const files = execFileSync("git", listing, { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 })
  .split("\0")
  .filter((file) => IS_TEXT.test(file))
let count = 0
for (const file of files) {
  const text = textOf(file)?.replace(file === README ? SECTION : "", (section) => section.replaceAll(/[^\n]/g, ""))
  for (const [index, line] of (text ?? "").split("\n").entries())
    for (const { pattern, better } of words)
      for (const [found] of line.matchAll(pattern)) {
        console.error(`${file}:${index + 1}: "${found}": write ${better} (README, "Words to avoid")`)
        count++
      }
}
console.log(`words: ${files.length} files, ${words.length} words to avoid, ${count} found`)
if (files.length === 0 || words.length === 0 || count > 0) process.exitCode = 1

// Holds what belongs in one place there, and prints how large src/ is. Who is a member is asked in src/access/ alone; SQL that is not
// in a `*.statements.ts` or `*.statement.ts` may only become less, and so may SQL altogether: what is not hot is Prisma's.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Counted today: make them smaller with each statement that goes, and never larger. */
const MAX_STATEMENTS = 253
const MAX_STATEMENTS_ELSEWHERE = 83

const STATEMENT = /\b(?:statement|precondition|childDeletion|pageOfChildren)(?:<[^>(]*>)?\(/g
const RAW = /\$(?:queryRaw|executeRaw)|\bquery\(\s*["'`](?:select|insert|update|delete|with)\b/gi
const PRISMA = /\b(?:prisma|tx)\.\w+\.(?:find|create|update|delete|upsert|count|aggregate|groupBy)\w*\(/g
const MEMBER = /\bstate = 'accepted'/g
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "src"], {
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file.endsWith(".ts"))

let [lines, statements, elsewhere, prisma, refused] = [0, 0, 0, 0, 0]
for (const file of files) {
  const code = readFileSync(file, "utf8").replaceAll(COMMENT, "")
  const count = (pattern) => code.match(pattern)?.length ?? 0
  const found = count(STATEMENT) + count(RAW)
  lines += code.split("\n").filter((line) => line.trim() !== "").length
  statements += found
  if (!/\.statements?\.ts$/.test(file)) elsewhere += found
  prisma += count(PRISMA)
  if (!file.startsWith("src/access/") && count(MEMBER) > 0)
    refuse(`${file}: who is a member is asked in src/access/access.ts`)
}
if (statements > MAX_STATEMENTS) refuse(`${statements} SQL statements: what is not hot is Prisma's`)
if (elsewhere > MAX_STATEMENTS_ELSEWHERE) refuse(`${elsewhere} SQL statements outside of *.statements.ts`)

console.log(
  `borders: ${lines} lines of code in ${files.length} files, ${files.filter((file) => !file.slice(4).includes("/")).length} directly in src/, ` +
    `${statements} SQL statements, ${elsewhere} of them outside of *.statements.ts, ${prisma} calls of Prisma, ${refused} refused`,
)
if (files.length === 0 || refused > 0) process.exitCode = 1

function refuse(what) {
  console.error(what)
  refused++
}

import { type ChildProcess, spawn } from "node:child_process"

/** A fenced block of a document, and what stands around it. */
export type Block = {
  readonly language: string
  readonly text: string
  readonly line: number
  /** Why the suite does not run it: `<!-- not run: … -->` before it. */
  readonly notRun: string | undefined
  /** The answer that is shown right behind it. */
  readonly answer: string | undefined
  /** As what the text behind it says to save it. */
  readonly savedAs: string | undefined
}

/** The fenced blocks of a document in their order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  for (const found of markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language = "", text = ""] = found
    const before = markdown.slice(0, found.index)
    const after = markdown.slice(found.index + whole.length)
    blocks.push({
      language,
      text,
      line: before.split("\n").length,
      notRun: /<!-- not run: ([^>]+) -->\n$/.exec(before)?.[1],
      answer: /^\n\n```json\n([\s\S]*?)\n```/.exec(after)?.[1],
      savedAs: /^\n\nSaved as `([\w.-]+)`/.exec(after)?.[1],
    })
  }
  return blocks
}

/** Of what kind a value is, so that a shown answer can be compared with a real one: names of members, kinds of values. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== "object" || value === null) return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, inner]) => [name, shapeOf(inner)]),
  )
}

/** The JSON among the lines of an output. */
export function jsonIn(output: string): unknown[] {
  return output.split("\n").flatMap((line) => {
    try {
      return line.startsWith("{") || line.startsWith("[") ? [JSON.parse(line)] : []
    } catch {
      return []
    }
  })
}

/** One shell into which blocks are pasted one after the other. */
export type Session = {
  /** Gives what it printed and its last status. */
  paste(text: string): Promise<{ status: number; output: string }>
  stop(): void
}

const END = "the-block-is-over"

export function startSession(cwd: string, env: NodeJS.ProcessEnv): Session {
  const shell: ChildProcess = spawn("bash", ["--noprofile", "--norc"], { cwd, env })
  let output = ""
  let onOutput = () => {}
  for (const stream of [shell.stdout, shell.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text
      onOutput()
    })
  return {
    async paste(text) {
      output = ""
      shell.stdin?.write(`${text}\necho "\n${END} $?"\n`)
      const isOver = () => new RegExp(`\\n${END} (\\d+)\\n`).exec(output)
      while (!isOver())
        await new Promise<void>((resolve) => {
          onOutput = resolve
        })
      const [mark, status] = isOver() as RegExpExecArray
      return { status: Number(status), output: output.replace(mark, "\n") }
    },
    stop: () => void shell.kill(),
  }
}

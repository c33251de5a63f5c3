import { writeSync } from "node:fs"

/**
 * Lets a command end as it would when whoever reads what it prints has had enough, such as head: what it does is done all the
 * same, and nobody is left to tell. Any other fault of standard output is one.
 */
export function bearLeftReaders(): void {
  if (isBearing) return
  isBearing = true
  process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") return
    process.exitCode = 1
    tell(`standard output: cannot be written: ${message}`)
  })
  process.stderr.on("error", () => {}) // there is nowhere left to say so
}

let isBearing = false
let isTold = false

function tell(text: string): void {
  if (isTold) return
  isTold = true
  try {
    writeSync(process.stderr.fd, `${text}\n`)
  } catch {
    // nobody reads that either
  }
}

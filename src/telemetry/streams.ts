import { writeSync } from "node:fs"

/**
 * Lets a command end normally when the reader of its output, such as `head`, has closed it: what the command does is done all
 * the same. Any other error of standard output is one.
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
let isNotified = false

function tell(text: string): void {
  if (isNotified) return
  isNotified = true
  try {
    writeSync(process.stderr.fd, `${text}\n`)
  } catch {
    // nobody reads that either
  }
}

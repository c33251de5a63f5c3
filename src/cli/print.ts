/** Prints what a command made: one JSON object for programs, a line for each member for people. */
export function print(result: Readonly<Record<string, unknown>>, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length))
  for (const [name, value] of Object.entries(result)) process.stdout.write(`${name.padEnd(width)}  ${String(value)}\n`)
}

/** Prints several of them: one JSON array, or with an empty line between. */
export function printAll(results: readonly Readonly<Record<string, unknown>>[], asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`)
  else
    results.forEach((result, index) => {
      if (index > 0) process.stdout.write("\n")
      print(result, false)
    })
}

/** The end of a command's help. */
export const examples = (...lines: string[]): string =>
  `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.map((line) => `  $ ${line}\n`).join("")}`

import { styleText } from "node:util"

type Members = Readonly<Record<string, unknown>>

/** Whether colours are wanted: on a terminal, unless NO_COLOR says otherwise (https://no-color.org). */
const isColoured = (): boolean => process.stdout.isTTY === true && process.stdout.hasColors()

/** Text that stands out on a terminal. */
export const strong = (text: string): string => (isColoured() ? styleText("bold", text) : text)

/** Text that others may have written: what a terminal would obey, or turn around, is replaced. */
export const harmless = (text: string): string => text.replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\ufffd")

const shown = (value: unknown): string => {
  if (value == null) return "–"
  return harmless(Array.isArray(value) ? value.join(", ") : String(value))
}

/** Prints what a command made: one JSON object for programs, a line for each member for people. */
export function print(result: Members, asJson: boolean): void {
  if (asJson) {
    process.stdout.write(`${JSON.stringify(result)}\n`)
    return
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length))
  for (const [name, value] of Object.entries(result)) process.stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`)
}

/** Prints several of them: one JSON array, or a table with a line for each. `none` is said when there are none. */
export function printAll(results: readonly Members[], asJson: boolean, none = "none"): void {
  if (asJson) process.stdout.write(`${JSON.stringify(results)}\n`)
  else if (results.length === 0) process.stdout.write(`${none}\n`)
  else printTable(results)
}

/** Wide characters and marks that join what is before them count as they look. */
const widthOf = (text: string): number => {
  let width = 0
  for (const character of text)
    if (!/\p{Mn}/u.test(character))
      width +=
        /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u.test(
          character,
        )
          ? 2
          : 1
  return width
}

function printTable(results: readonly Members[]): void {
  const names = Object.keys(results[0] as Members)
  const cells = results.map((result) => names.map((name) => shown(result[name]).replace(/\s+/g, " ")))
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => widthOf(row[column] as string))),
  )
  const isNumber = names.map((name) => results.every((result) => typeof result[name] === "number"))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const space = " ".repeat((widths[column] as number) - widthOf(cell))
        return isNumber[column] ? space + cell : cell + space
      })
      .join("  ")
      .trimEnd()
  process.stdout.write(`${strong(line(names))}\n${cells.map((row) => `${line(row)}\n`).join("")}`)
}

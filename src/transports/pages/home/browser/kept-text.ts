type Area = "localStorage" | "sessionStorage"

/** A text that the browser keeps; undefined also where it keeps nothing. */
export function keptText(area: Area, name: string): string | undefined {
  try {
    return globalThis[area].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, where the browser keeps anything and has room; undefined: no more. */
export function keepText(area: Area, name: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[area].removeItem(name)
    else globalThis[area].setItem(name, text)
  } catch {} // Pages may be denied all storage.
}

/** The names of all texts that begin so. */
export function keptNames(area: Area, start: string): string[] {
  try {
    return Object.keys(globalThis[area]).filter((name) => name.startsWith(start))
  } catch {
    return []
  }
}

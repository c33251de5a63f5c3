type Keeper = "localStorage" | "sessionStorage"

/** A text that the browser keeps; undefined also where it keeps nothing. */
export function keptText(keeper: Keeper, name: string): string | undefined {
  try {
    return globalThis[keeper].getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text, where the browser keeps anything and has room; undefined: no more. */
export function keepText(keeper: Keeper, name: string, text: string | undefined): void {
  try {
    if (text === undefined) globalThis[keeper].removeItem(name)
    else globalThis[keeper].setItem(name, text)
  } catch {} // Pages may be denied all storage.
}

import type { ByteRange } from "./storage.js"

/**
 * The span that a Range header asks for of so many bytes; undefined for the whole, which is also the answer to several spans
 * and to nonsense. "beyond" when it lies behind the end.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | "beyond" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  const start = first === "" ? Math.max(sizeBytes - Number(last), 0) : Number(first)
  const end = first === "" || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  if (first !== "" && last !== "" && Number(last) < start) return undefined
  return start > end ? "beyond" : { start, end }
}

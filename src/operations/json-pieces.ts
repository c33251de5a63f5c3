import type { ExecutionResult } from "graphql"
import type { Held } from "../context.js"

const PIECE_LENGTH = 262_144
/** What has about so many characters, with all that is in it, is written at once. */
const AT_ONCE = 32_768

/** The JSON of what a large answer shows of a result. */
export async function resultInPieces({ errors, data }: ExecutionResult, held: Held): Promise<string> {
  if (data === undefined) return JSON.stringify({ errors })
  const text = await jsonInPieces(data, held)
  return errors === undefined ? `{"data":${text}}` : `{"errors":${JSON.stringify(errors)},"data":${text}}`
}

/** The text that JSON.stringify gives of data without `toJSON`, made piece by piece: others are answered between them. */
export async function jsonInPieces(value: unknown, held: Held): Promise<string> {
  const pieces: string[] = []
  for (const piece of piecesOf(value)) {
    pieces.push(piece)
    const turn = held.turn()
    if (turn !== undefined) await turn
  }
  const text = pieces.join("")
  await held.turn()
  return text
}

function* piecesOf(value: unknown): Generator<string> {
  let text = ""
  function* write(one: unknown): Generator<string> {
    if (weightOf(one) <= AT_ONCE || typeof one === "string") text += JSON.stringify(one)
    else if (Array.isArray(one)) yield* writeEntries(one)
    else yield* writeMembers(one as Record<string, unknown>)
    if (text.length < PIECE_LENGTH) return
    yield text
    text = ""
  }

  function* writeEntries(entries: readonly unknown[]): Generator<string> {
    text += "["
    for (let start = 0; start < entries.length; ) {
      if (start > 0) text += ","
      let end = start
      for (let weight = 0; end < entries.length; end++) {
        weight += weightOf(entries[end])
        if (weight > AT_ONCE) break
      }
      if (end > start) text += JSON.stringify(entries.slice(start, end)).slice(1, -1)
      else yield* write(entries[end++])
      if (text.length >= PIECE_LENGTH) {
        yield text
        text = ""
      }
      start = end
    }
    text += "]"
  }

  function* writeMembers(object: Record<string, unknown>): Generator<string> {
    let before = "{"
    for (const name of Object.keys(object)) {
      const member = object[name]
      if (member === undefined) continue
      text += `${before}${JSON.stringify(name)}:`
      yield* write(member)
      before = ","
    }
    text += before === "{" ? "{}" : "}"
  }

  yield* write(value)
  yield text
}

/** About how many characters a value has; of one with more than are written at once, only that it has more. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2
  if (typeof value !== "object" || value === null) return 8
  let weight = 2
  for (const name in value) {
    weight += name.length + 4 + weightOf((value as Record<string, unknown>)[name])
    if (weight > AT_ONCE) break
  }
  return weight
}

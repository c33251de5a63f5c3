import type { ExecutionResult } from "graphql"
import type { Held } from "../context.js"

const PIECE_LENGTH = 262_144
/** So many entries without objects in them are written at once. */
const FLAT_AT_ONCE = 100

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
    if (isFlat(one)) text += JSON.stringify(one)
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
      while (end < entries.length && end < start + FLAT_AT_ONCE && isFlat(entries[end])) end++
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

/** Whether there is no object in it. */
function isFlat(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (typeof member === "object" && member !== null) return false
  }
  return true
}

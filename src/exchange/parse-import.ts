import { textOfFile } from "./file-text.js"
import { parseMicrosoft } from "./microsoft-to-do.js"
import { type ParsedImport, type Reading, UnreadableFile } from "./parsed-import.js"
import { parseTodoist } from "./todoist-csv.js"
import { parseBackup } from "./wunderlist-backup.js"
import { parseExport } from "./wunderlist-export.js"

/** The formats that can be read, by the names that the command line gives them. */
export const FORMATS = ["backup", "wunderlist", "todoist", "microsoft"] as const
export type Format = (typeof FORMATS)[number]

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** The arrays of lists that exports hold, whether bare or as the answer of an API. */
function listsIn(json: unknown): readonly unknown[] | undefined {
  if (Array.isArray(json)) return json
  if (isObject(json)) for (const name of ["value", "lists"]) if (Array.isArray(json[name])) return json[name]
  return undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UnreadableFile(`the file is neither JSON nor a CSV of Todoist: ${(error as Error).message}`)
  }
}

const isTodoist = (text: string): boolean => /^\s*"?TYPE"?\s*,/i.test(text)

function formatOf(json: unknown): Format {
  if (isObject(json) && isObject(json.data)) return "backup"
  const lists = listsIn(json)
  if (lists === undefined)
    throw new UnreadableFile("the file is none of these: a backup { user, data: { lists, … } }, or an array of lists")
  return lists.some((list) => isObject(list) && "displayName" in list) ? "microsoft" : "wunderlist"
}

/**
 * Reads a file into what it would make. Without `format` it is told by what the file holds.
 * @throws UnreadableFile when it cannot be read at all; a single row at fault is a remark
 */
export function parseImport(
  bytes: Buffer,
  format: Format | undefined,
  reading: Reading,
): ParsedImport & { format: Format } {
  if (bytes.subarray(0, 2).toString("latin1") === "PK")
    throw new UnreadableFile("the file is a zip archive: unpack it and import the Tasks.json or the .csv inside")
  const text = textOfFile(bytes)
  if (format === "todoist" || (format === undefined && isTodoist(text)))
    return { ...parseTodoist(text, reading), format: "todoist" }
  const json = jsonOf(text)
  const found = format ?? formatOf(json)
  if (found === "backup") return { ...parseBackup(json, reading), format: found }
  const lists = listsIn(json)
  if (lists === undefined) throw new UnreadableFile("the file must hold an array of lists")
  return { ...(found === "microsoft" ? parseMicrosoft : parseExport)(lists, reading), format: found }
}

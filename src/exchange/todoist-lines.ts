import { type InfoRecord, parse } from "csv-parse/sync"
import { type Remarks, UnreadableFile } from "./parsed-import.js"

const NEEDED = ["TYPE", "CONTENT"]
const COLUMNS = [
  ...(["TYPE", "CONTENT", "DESCRIPTION", "PRIORITY", "INDENT", "AUTHOR", "RESPONSIBLE", "DATE", "DATE_LANG"] as const),
  ...(["TIMEZONE", "DURATION", "DURATION_UNIT", "DEADLINE", "DEADLINE_LANG"] as const),
]
/** How Todoist shows it; nothing that anybody wrote. */
const LOOKS = ["IS_COLLAPSED", ""]

/** What a line says in the columns that mean something here, without blanks around it; "" where it says nothing. */
export type Cells = Readonly<Record<(typeof COLUMNS)[number], string>>

type Row = { readonly cells: readonly string[]; readonly line: number }

function rowsOf(csv: string): Row[] {
  try {
    return parse(csv, {
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: ((cells: string[], { lines }: InfoRecord): Row => ({ cells, line: lines })) as never,
    }) as unknown as Row[]
  } catch (error) {
    throw new UnreadableFile(`the file is no CSV: ${(error as Error).message}`)
  }
}

/**
 * The lines of a project behind its first, which names the columns. What stands in a column that is not known, or in none, is
 * a remark.
 * @throws UnreadableFile
 */
export function* readLines(csv: string, remarks: Remarks): Generator<{ record: Cells; line: number }> {
  const [first, ...rows] = rowsOf(csv)
  if (first === undefined) return
  const names = first.cells.map((name) => name.trim().toUpperCase())
  const missing = NEEDED.filter((name) => !names.includes(name))
  if (missing.length > 0)
    throw new UnreadableFile(`line 1: has no column ${missing.join(", ")}; Todoist's files begin with TYPE,CONTENT,…`)
  const places = COLUMNS.map((name) => [name, names.indexOf(name)] as const)
  const isRead = names.map((name, index) => LOOKS.includes(name) || places.some(([, place]) => place === index))
  for (const { cells, line } of rows) {
    for (const [index, cell] of cells.entries())
      if (!isRead[index] && cell.trim() !== "")
        remarks.skip(
          `line ${line}, ${names[index]?.slice(0, 100) ?? `cell ${index + 1}`}`,
          "is in no column that is read",
        )
    yield {
      record: Object.fromEntries(places.map(([name, place]) => [name, cells[place]?.trim() ?? ""])) as Cells,
      line,
    }
  }
}

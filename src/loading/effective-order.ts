import type { Id } from "../statement.js"

/**
 * The order that a position gives (§2 Positions): rows follow `values`, ids that name no row are ignored, rows that are not
 * named come after all others. `rows` come by id ascending and so keep that order at the end.
 */
export function inEffectiveOrder<Row extends { id: Id }>(
  rows: readonly Row[],
  values: readonly Id[] | undefined,
): Row[] {
  if (values === undefined || values.length === 0) return [...rows]
  const unnamed = new Map(rows.map((row) => [row.id, row]))
  const named: Row[] = []
  for (const id of values) {
    const row = unnamed.get(id)
    if (row !== undefined && unnamed.delete(id)) named.push(row)
  }
  return [...named, ...unnamed.values()]
}

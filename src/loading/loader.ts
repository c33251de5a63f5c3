import DataLoader from "dataloader"
import type { Context } from "../context.js"
import { NotFound } from "../errors.js"
import type { Id, Statement } from "../statement.js"

/** Loads for one parent; calls of the same moment become one statement for all of them. */
export type Load<Result> = (context: Context, id: Id) => Promise<Result>

/** Reads rows for many ids at once: a statement, whose $1 are the ids and whose $2 is the viewer's, or a query of Prisma. */
export type ReadMany<Row> = Statement<Row> | ((context: Context, ids: readonly Id[]) => Promise<Row[]>)

const readMany = <Row>(read: ReadMany<Row>, context: Context, ids: readonly Id[]): Promise<Row[]> =>
  typeof read === "function" ? read(context, ids) : context.db.run(read, [ids, context.viewer.userId])

function loaderOf<Result>(
  context: Context,
  key: object,
  load: (ids: readonly Id[]) => Promise<Result[]>,
): DataLoader<Id, Result> {
  const known = context.loaders.get(key) as DataLoader<Id, Result> | undefined
  if (known !== undefined) return known
  const loader = new DataLoader<Id, Result>(load)
  context.loaders.set(key, loader)
  return loader
}

/** Loads the children of many parents at once for a level of a document; `parentOf` names the parent of a row. */
export function childrenOf<Row>(read: ReadMany<Row>, parentOf: (row: Row) => Id): Load<Row[]> {
  return (context, id) =>
    loaderOf(context, read, async (ids) => {
      const byParent = new Map<Id, Row[]>(ids.map((parent) => [parent, []]))
      for (const row of await readMany(read, context, ids)) byParent.get(parentOf(row))?.push(row)
      return ids.map((parent) => byParent.get(parent) ?? [])
    }).load(id)
}

/** Loads rows by id, many at once; undefined for an id that has none. */
export function rowsById<Row extends { id: Id }>(read: ReadMany<Row>): Load<Row | undefined> {
  return (context, id) =>
    loaderOf(context, read, async (ids) => {
      const rows = new Map((await readMany(read, context, ids)).map((row) => [row.id, row]))
      return ids.map((wanted) => rows.get(wanted))
    }).load(id)
}

/** The row that was asked for. @throws NotFound when there is none that the viewer may see */
export function found<Row>([row]: readonly (Row | null | undefined)[]): Row {
  if (row == null) throw new NotFound()
  return row
}

/**
 * The rows of a statement that joins a parent to its children on the left: none means that the parent is not to be seen.
 * @throws NotFound
 */
export function inVisible<Row>(rows: readonly (Row | null)[]): Row[] {
  if (rows.length === 0) throw new NotFound()
  return rows[0] === null ? [] : (rows as Row[])
}

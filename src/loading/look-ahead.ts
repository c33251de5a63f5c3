import {
  type FieldNode,
  type GraphQLResolveInfo,
  getNamedType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from "graphql"
import type { Context } from "../context.js"
import type { Id, Runner } from "../statement.js"

// A list is mostly read with what is in it. Field by field that would be a trip to the database for each level, and a promise
// for each task. So the list's resolver asks for all levels at once, one statement each, and the rows get their children as
// plain properties; what is not read ahead is still read by the field's own resolver.

/** Gives a parent's value of the field. */
type Given = (parent: never) => unknown

/** Reads a field for everything in a list at once: `run` sends in order, and the list's own row was asked for first. */
export type ReadAhead = (run: Runner["run"], listId: Id, viewerId: Id) => Promise<Given>

/** What to put on a field, as `@Extensions(readAhead(…))`, so that it is read ahead when it is asked for without arguments. */
export const readAhead = (read: ReadAhead): { readAhead: ReadAhead } => ({ readAhead: read })

type Level = { readonly name: string; readonly read: ReadAhead; readonly below: readonly Level[] }

const known = new WeakMap<FieldNode, readonly Level[]>()

/** The levels below a field that can be read ahead; worked out once per document. */
function levelsBelow({ fieldNodes, returnType, fragments, schema }: GraphQLResolveInfo): readonly Level[] {
  const [first] = fieldNodes as [FieldNode]
  const planned = fieldNodes.length === 1 ? known.get(first) : undefined
  if (planned !== undefined) return planned

  function fieldsOf(selections: readonly SelectionSetNode[], fields = new Map<string, FieldNode[]>()) {
    for (const { selections: nodes } of selections)
      for (const node of nodes) {
        if (node.kind === Kind.FIELD) fields.set(node.name.value, [...(fields.get(node.name.value) ?? []), node])
        else {
          const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node
          if (fragment !== undefined) fieldsOf([fragment.selectionSet], fields)
        }
      }
    return fields
  }
  function levels(typeName: string, nodes: readonly FieldNode[]): readonly Level[] {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) return []
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    return [...fieldsOf(below)].flatMap(([name, asked]) => {
      const field = type.getFields()[name]
      const read = field?.extensions.readAhead as ReadAhead | undefined
      // Under two names with other arguments it is two fields, and the row has one property.
      if (field === undefined || read === undefined || asked.some((node) => node.arguments?.length)) return []
      return [{ name, read, below: levels(getNamedType(field.type).name, asked) }]
    })
  }
  const found = levels(getNamedType(returnType).name, fieldNodes)
  if (fieldNodes.length === 1) known.set(first, found)
  return found
}

type Parent = Record<string, unknown>

/**
 * Reads a list with `read`, and with it every level below that the document asks for, down one connection: what is in the list
 * can only be newer than the list's revision, so that a client that compares revisions reads again.
 */
export async function withLevels<List>(
  { db, viewer }: Context,
  info: GraphQLResolveInfo,
  listId: Id,
  read: (run: Runner["run"]) => Promise<List[]>,
): Promise<List[]> {
  const levels = levelsBelow(info)
  if (levels.length === 0) return read(db.run)
  const { run } = db.pinned()
  const begin = (level: Level): Promise<Begun> =>
    Promise.all([level.read(run, listId, viewer.userId), Promise.all(level.below.map(begin))]).then(
      ([give, below]) => ({
        name: level.name,
        give,
        below,
      }),
    )
  const [lists, begun] = await Promise.all([read(run), Promise.all(levels.map(begin))])
  attach(lists as Parent[], begun)
  return lists
}

type Begun = { name: string; give: Given; below: readonly Begun[] }

function attach(parents: readonly Parent[], levels: readonly Begun[]): void {
  for (const { name, give, below } of levels) {
    for (const parent of parents) {
      const value = give(parent as never)
      parent[name] = value
      if (below.length > 0) attach(value as Parent[], below)
    }
  }
}

const NOTHING: readonly never[] = []

/** Gives each parent its rows of `rows`, in their order. */
export function groupedBy<Row>(
  rows: readonly (Row | null)[],
  parentOf: (row: Row) => Id,
): (parent: { id: Id }) => readonly Row[] {
  const groups = new Map<Id, Row[]>()
  for (const row of rows) {
    if (row === null) continue
    const parent = parentOf(row)
    const group = groups.get(parent)
    if (group === undefined) groups.set(parent, [row])
    else group.push(row)
  }
  return ({ id }) => groups.get(id) ?? NOTHING
}

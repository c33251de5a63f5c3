import type { ColumnKind, Value } from "../../statement.js"

type Field = {
  readonly kind: ColumnKind
  /** Whether clients set it as they like; what is not, statements make. */
  readonly isSet?: true
  /** What is left of it when it is removed. Without this it cannot be. */
  readonly removed?: null | false
}

/**
 * The members of a task, in the order in which answers show them. Columns, what is inserted and changed, what `remove` may name
 * and what REST shows derive from it. `assigneeId` and `completed` have rules of their own beside (task.statements.ts).
 */
const TASK_FIELDS = {
  id: { kind: "id" },
  listId: { kind: "id" },
  title: { kind: "text", isSet: true },
  assigneeId: { kind: "id", isSet: true, removed: null },
  createdAt: { kind: "instant" },
  createdById: { kind: "id" },
  createdByRequestId: { kind: "text" },
  dueDate: { kind: "date", isSet: true, removed: null },
  starred: { kind: "boolean", isSet: true, removed: false },
  completed: { kind: "boolean", isSet: true, removed: false },
  completedAt: { kind: "instant" },
  completedById: { kind: "id" },
  recurrenceType: { kind: "text", isSet: true, removed: null },
  recurrenceCount: { kind: "integer", isSet: true, removed: null },
  revision: { kind: "integer" },
} as const satisfies Readonly<Record<string, Field>>

type Fields = typeof TASK_FIELDS
type NamesWith<Has> = { [Name in keyof Fields]: Fields[Name] extends Has ? Name : never }[keyof Fields]

/** The kind of each member's column. */
export const TASK_KINDS = Object.fromEntries(Object.entries(TASK_FIELDS).map(([name, { kind }]) => [name, kind])) as {
  readonly [Name in keyof Fields]: Fields[Name]["kind"]
}

/** What clients may set, in the order in which statements take it. */
export type SetMember = NamesWith<{ readonly isSet: true }>
/** What can be removed from a task. */
export type TaskAttribute = NamesWith<{ readonly removed: null | false }>

const entries = Object.entries(TASK_FIELDS) as [SetMember, Field][]

/** What clients may set, with whether null is a value of it. */
export const SET_MEMBERS = entries
  .filter(([, { isSet }]) => isSet)
  .map(([name, { kind, removed }]) => ({ name, kind, removed, isNullable: removed === null }))

/** What removing a member leaves: null first, then what becomes false. */
export const REMOVED = Object.fromEntries(
  [null, false].flatMap((left) => entries.flatMap(([name, { removed }]) => (removed === left ? [[name, left]] : []))),
) as Readonly<Record<TaskAttribute, null | false>>

/** The names that `remove` may have. */
export const REMOVABLE = Object.keys(REMOVED) as TaskAttribute[]

type Given = Partial<Readonly<Record<SetMember, string | number | boolean | null>>>

/** The values of a new task, one for each of {@link SET_MEMBERS}; what is left out is as if it had been removed. */
export const newValues = (given: Given): Value[] => SET_MEMBERS.map(({ name, removed }) => given[name] ?? removed)

/** The values of a change: before each that may become null, whether it is set. */
export const changedValues = (given: Given): Value[] =>
  SET_MEMBERS.flatMap(({ name, isNullable }) => (isNullable ? [given[name] !== undefined, given[name]] : [given[name]]))

import type { Objects } from "./wire.js"

/** Everything that the view holds has a kind: the member `type` of its objects. */
export type Kind = keyof Objects

/** What can be deleted. */
export type Deletable = Exclude<Kind, "user" | `${string}_position`>
/** What stands in an order that people choose. */
export type Movable = "list" | "task" | "subtask"

/** An object of any kind, as far as all are alike. */
export type AnyObject = { readonly id: number; readonly revision: number; readonly [member: string]: unknown }

/** Names one object among all. */
export const keyOf = (kind: Kind, id: number): string => `${kind}/${id}`

/** Names the object that another is in; undefined for what is in nothing. */
export function parentOf({ task_id, list_id }: Readonly<Record<string, unknown>>): readonly [Kind, number] | undefined {
  if (task_id !== undefined) return ["task", task_id as number]
  return list_id === undefined ? undefined : ["list", list_id as number]
}

/** Orders by id; what has only a temporary id comes last, in the order in which it was made. */
export const byId = (one: { readonly id: number }, other: { readonly id: number }): number =>
  one.id < 0 || other.id < 0 ? other.id - one.id : one.id - other.id

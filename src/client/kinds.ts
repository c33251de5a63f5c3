import type { Objects } from "./wire.js"

/** Everything that the view holds has a kind: the member `type` of its objects. */
export type Kind = keyof Objects

/** Everything but users and orders, which end with what they belong to. */
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

/** Orders ids: temporary ones come last, in the order in which they were made. */
export const byAge = (one: number, other: number): number => (one < 0 || other < 0 ? other - one : one - other)
/** Orders objects by id, in the same way. */
export const byId = (one: AnyObject, other: AnyObject): number => byAge(one.id, other.id)

import type { Kind } from "../../../../client/client.js"
import { client } from "./session.js"

/** Objects made in this window whose ids are still temporary, as far as is known. */
const made: (readonly [Kind, number])[] = []
const keys = new Map<string, number>()

/** Notes something that was just made here. Gives its temporary id. */
export function noteMade(kind: Kind, { id }: { readonly id: number }): number {
  made.push([kind, id])
  return id
}

/** The id under which the page first showed something: its elements stay the same ones when the service has given it another. */
export function stableKey(kind: Kind, id: number): number {
  if (id < 0) return id
  const name = `${kind}/${id}`
  for (let place = made.length - 1; place >= 0 && !keys.has(name); place--) {
    const [of, temporary] = made[place] as (typeof made)[number]
    const known = client.view.get(of, temporary)?.id ?? 0
    if (known <= 0) continue
    keys.set(`${of}/${known}`, temporary)
    made.splice(place, 1)
  }
  return keys.get(name) ?? id
}

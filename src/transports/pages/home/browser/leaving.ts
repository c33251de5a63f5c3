import type { Command, Values } from "../../../../client/client.js"
import { keepText, keptText } from "./kept-text.js"
import { leftBy } from "./leftovers.js"
import { base, client, viewer } from "./session.js"

/** What a page gave while it was being left: the browser's database may not have taken it any more. */
type Left = Pick<Command, "kind" | "target" | "values" | "seen">

const NAME = leftBy(base, viewer?.id)
function left(): readonly Left[] {
  try {
    return JSON.parse(keptText("localStorage", NAME) ?? "[]")
  } catch {
    return [] // Nobody can read it, and the page is to be shown all the same.
  }
}
const forgetLeft = () => keepText("localStorage", NAME, undefined)

/** Notes a change in what browsers write at once, for the page that is opened next. */
export function noteLeft(command: string | undefined): void {
  const found = client.view.waiting().find(({ id }) => id === command)
  if (found === undefined || client.view.status().connection === "stopped") return
  const { kind, target, values, seen } = found
  const all = [...left(), { kind, target, values, seen } satisfies Left]
  keepText("localStorage", NAME, JSON.stringify(all))
  client.kept().then(forgetLeft, () => {})
}

/** Gives anew what the page before this one noted, where the database has not taken it. */
export function giveLeft(): void {
  for (const { kind, target, values, seen } of left()) {
    const shown = client.view.get(kind, target) as unknown as Values | undefined
    if (Object.entries(values).some(([member, value]) => shown?.[member] !== value))
      client.update(kind as "task", target, values, { seen })
  }
  forgetLeft()
}

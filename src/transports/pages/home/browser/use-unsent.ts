import { useLayoutEffect, useRef } from "preact/hooks"
import { keepText, keptNames, keptText } from "./kept-text.js"
import { client, UNSENT as START } from "./session.js"

/** How many fields have words that were not sent. */
export const unsentTexts = (): number => keptNames("sessionStorage", START).length

/** Moves what was written for a task while it had a temporary id under the one that the service has given it. */
function takeOver(start: string, task: number): void {
  for (const name of keptNames("sessionStorage", `${start}--`)) {
    const temporary = Number(name.slice(`${start}-`.length))
    if (temporary === task || client.view.get("task", temporary)?.id !== task) continue
    keepText("sessionStorage", `${start}-${task}`, keptText("sessionStorage", name))
    keepText("sessionStorage", name, undefined)
  }
}

/**
 * Keeps what is written into a field until it is sent by hand: it is there again when what has the field was closed, or the page
 * loaded anew.
 * @param about which of the page's fields it is
 * @param task the one that it is written for, where each has such a field. The element is for this one alone.
 */
export function useUnsent<Field extends HTMLInputElement | HTMLTextAreaElement>(about: string, task?: number) {
  const field = useRef<Field>(null)
  const name = START + (task === undefined ? about : `${about}-${task}`)
  const keep = (text: string) => keepText("sessionStorage", name, text || undefined)
  useLayoutEffect(() => {
    if (task !== undefined) takeOver(START + about, task)
    // What is in the field already was written before the task had its id.
    if (field.current?.value === "") field.current.value = keptText("sessionStorage", name) ?? ""
  }, [name])
  return {
    ref: field,
    onInput: (event: { readonly currentTarget: Field }) => keep(event.currentTarget.value),
    /** The text without spaces around it, which is not kept any more; the field is empty. Undefined where there is none. */
    take(): string | undefined {
      const text = field.current?.value.trim() ?? ""
      if (field.current === null || text === "") return undefined
      field.current.value = ""
      keep("")
      return text
    },
  }
}

import { useLayoutEffect, useRef } from "preact/hooks"
import { keepText, keptText } from "./kept-text.js"
import { base, viewer } from "./session.js"

/**
 * Keeps what is written into a field until it is sent by hand: it is there again when what has the field was closed, or the page
 * loaded anew.
 * @param about what it is written for, among the fields of the page
 */
export function useUnsent<Field extends HTMLInputElement | HTMLTextAreaElement>(about: string) {
  const field = useRef<Field>(null)
  const name = `tandem-unsent${base}-${viewer?.id}-${about}`
  const keep = (text: string) => keepText("sessionStorage", name, text || undefined)
  useLayoutEffect(() => {
    if (field.current) field.current.value = keptText("sessionStorage", name) ?? ""
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

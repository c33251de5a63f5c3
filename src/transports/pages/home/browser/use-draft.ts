import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { client } from "./session.js"

const SAVE_AFTER_MS = 400

/**
 * For a text that is saved while it is written. The first sign is saved at once, so that what somebody else changes from then on
 * is in conflict with it, and not overwritten; what follows takes its place as long as it has not been sent.
 * @param saved the text as it is now
 * @param save gives the command that makes it another one
 */
export function useDraft<Field extends HTMLInputElement | HTMLTextAreaElement>(
  saved: string,
  save: (text: string) => { readonly command: string } | undefined,
) {
  const field = useRef<Field>(null)
  const last = useRef<{ text: string; command?: string; timer?: ReturnType<typeof setTimeout> }>({ text: saved })
  const saving = useRef(save)
  saving.current = save

  function write(): void {
    const now = last.current
    clearTimeout(now.timer)
    now.timer = undefined
    const text = field.current?.value ?? now.text
    if (text === now.text) return
    try {
      if (now.command !== undefined) client.drop(now.command)
    } catch {
      // It is under way or has been carried out: this one follows it.
    }
    now.text = text
    now.command = saving.current(text)?.command
  }
  useLayoutEffect(() => {
    const now = last.current
    // Somebody else's change, unless something is being written here.
    if (field.current && now.timer === undefined && field.current.value === now.text) field.current.value = saved
    if (now.timer === undefined) now.text = saved
  }, [saved])
  useEffect(() => write, [])

  return {
    ref: field,
    defaultValue: saved,
    onInput() {
      const now = last.current
      if (now.timer === undefined) write()
      clearTimeout(now.timer)
      now.timer = setTimeout(write, SAVE_AFTER_MS)
    },
    onBlur: write,
  }
}

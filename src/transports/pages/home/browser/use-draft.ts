import { useLayoutEffect, useRef } from "preact/hooks"
import { client } from "./session.js"
import { useView } from "./use-view.js"

const SAVE_AFTER_MS = 400
const SAVE_WITHIN_MS = 2_000

/** What a field has: the text that is written, the one that was saved last or taken over, and the commands that save it. */
type Draft = {
  typed: string
  text: string
  timer?: ReturnType<typeof setTimeout>
  dueAt: number
  readonly commands: readonly string[]
}
const draftOf = (text: string): Draft => ({ typed: text, text, dueAt: 0, commands: [] })
const isUndecided = (command: string | undefined) => client.view.aside().some(({ id }) => id === command)

/** What fields do as the page is left. It is listened for before the client starts, which notes then what the store does not have. */
const writing = new Set<() => void>()
addEventListener("pagehide", () => {
  for (const write of writing) write()
})

/**
 * For a text that is saved while it is written. The first sign is saved at once; what follows takes its place as long as it has not
 * been sent. What somebody else changes from then on is in conflict with it, and not overwritten; users who are in the field go on
 * with their own text until they leave it.
 * @param saved the text as it is now
 * @param save gives the command that makes it another one, where `seen` was; none where it cannot be that
 */
export function useDraft<Field extends HTMLInputElement | HTMLTextAreaElement>(
  saved: string,
  save: (text: string, seen: string) => { readonly command: string } | undefined,
) {
  const field = useRef<Field>(null)
  const draft = useRef<Draft>(draftOf(saved))
  const saving = useRef(save)
  saving.current = save
  // What is decided elsewhere is shown here.
  useView((view) => view.aside())

  function write(): void {
    const now = draft.current
    clearTimeout(now.timer)
    now.timer = undefined
    if (now.typed === now.text) return
    const given = saving.current(now.typed, now.text)
    if (given === undefined) return
    draft.current = { ...now, text: now.typed, commands: [...now.commands, given.command] }
    dropEarlier()
  }
  /** Takes back what the last command sets anew anyway: as long as it has not been sent, or when it is in conflict. */
  function dropEarlier(): void {
    const now = draft.current
    const earlier = now.commands.slice(0, -1).filter((id) => {
      try {
        client.drop(id)
        return false
      } catch {
        // It is under way, or has been carried out: this one follows it.
        return client.view.waiting().some((command) => command.id === id)
      }
    })
    draft.current = { ...now, commands: [...earlier, ...now.commands.slice(-1)] }
  }
  /** Shows somebody else's text. What was written here is in the queue, or waits for a decision. */
  function takeOver(): void {
    draft.current = draftOf(saved)
    if (field.current) field.current.value = saved
  }

  useLayoutEffect(() => {
    if (draft.current.commands.slice(0, -1).some(isUndecided)) dropEarlier()
    const { timer, typed, text, commands } = draft.current
    if (timer !== undefined || typed !== text || saved === text) return
    if (document.activeElement !== field.current || !isUndecided(commands.at(-1))) takeOver()
  })
  useLayoutEffect(() => {
    const over = new AbortController()
    const { signal } = over
    writing.add(write)
    document.addEventListener("visibilitychange", () => document.hidden && write(), { signal })
    return () => {
      over.abort()
      writing.delete(write)
      write()
    }
  }, [])

  return {
    ref: field,
    defaultValue: saved,
    onInput(event: { readonly currentTarget: Field }) {
      draft.current.typed = event.currentTarget.value
      const isFirst = draft.current.timer === undefined
      if (isFirst) write()
      const now = draft.current
      if (isFirst) now.dueAt = Date.now() + SAVE_WITHIN_MS
      clearTimeout(now.timer)
      now.timer = setTimeout(write, Math.min(SAVE_AFTER_MS, now.dueAt - Date.now()))
    },
    onBlur() {
      write()
      const { typed, text, commands } = draft.current
      if (typed !== text || isUndecided(commands.at(-1))) takeOver()
    },
  }
}

import { useLayoutEffect, useRef } from "preact/hooks"
import { isComposing } from "./composing.js"

type NameProps = {
  readonly id: string
  readonly label: string
  readonly value?: string
  onDone(name: string | undefined): void
}

/** Asks for one name in its place: Enter takes it, Escape does not. */
export function NameForm({ id, label, value = "", onDone }: NameProps) {
  const field = useRef<HTMLInputElement>(null)
  const isDone = useRef(false)
  useLayoutEffect(() => field.current?.select(), [])
  // It loses the focus when it goes, too.
  function done(name: string | undefined): void {
    if (!isDone.current) onDone(name)
    isDone.current = true
  }
  return (
    <form
      class="name-form"
      onSubmit={(event) => {
        event.preventDefault()
        const name = (event.currentTarget.elements[0] as HTMLInputElement).value.trim()
        done(name === "" ? undefined : name)
      }}
    >
      <input
        id={id}
        aria-label={label}
        defaultValue={value}
        maxLength={255}
        autocomplete="off"
        ref={field}
        onBlur={(event) => event.currentTarget.form?.requestSubmit()}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || isComposing(event)) return
          event.stopPropagation()
          done(undefined)
        }}
      />
    </form>
  )
}

import { Icon } from "./icons.js"
import { t } from "./texts.js"

/** A field in which something new is named; it stays, and is empty again for the next. `onAdd` is given a name without spaces around it. */
export function AddForm({
  id,
  field,
  label,
  button = t.add,
  isSmall = false,
  onAdd,
}: {
  readonly id?: string
  readonly field: string
  readonly label: string
  readonly button?: string
  readonly isSmall?: boolean
  onAdd(title: string): void
}) {
  return (
    <form
      class={isSmall ? "add small" : "add"}
      id={id}
      onSubmit={(event) => {
        event.preventDefault()
        const input = event.currentTarget.elements[0] as HTMLInputElement
        const title = input.value.trim()
        if (title === "") return
        input.value = ""
        onAdd(title)
      }}
    >
      <input id={field} aria-label={label} placeholder={label} maxLength={255} autocomplete="off" enterkeyhint="done" />
      <Icon name="plus" />
      <button type="submit" class="unseen" tabIndex={-1}>
        {button}
      </button>
    </form>
  )
}

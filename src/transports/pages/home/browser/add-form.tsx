import { Icon } from "./icons.js"
import { t } from "./texts.js"
import { useUnsent } from "./use-unsent.js"

/**
 * A field in which something new is named; it stays, and is empty again for the next. `onAdd` is given a name without spaces around it.
 * @param task the one that it is made in
 */
export function AddForm({
  id,
  field,
  label,
  button = t.add,
  isSmall = false,
  task,
  onAdd,
}: {
  readonly id?: string
  readonly field: string
  readonly label: string
  readonly button?: string
  readonly isSmall?: boolean
  readonly task?: number
  onAdd(title: string): void
}) {
  const { take, ...unsent } = useUnsent<HTMLInputElement>(field, task)
  return (
    <form
      class={isSmall ? "add small" : "add"}
      id={id}
      onSubmit={(event) => {
        event.preventDefault()
        const title = take()
        if (title !== undefined) onAdd(title)
      }}
    >
      <input
        {...unsent}
        id={field}
        aria-label={label}
        placeholder={label}
        maxLength={255}
        autocomplete="off"
        enterkeyhint="done"
      />
      <Icon name="plus" />
      <button type="submit" class="unseen" tabIndex={-1}>
        {button}
      </button>
    </form>
  )
}

import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { cell, useCell } from "./cell.js"
import { Icon } from "./icons.js"
import { t } from "./texts.js"

type Props = { readonly id: string; readonly title: string; onClose(): void; readonly children: ComponentChildren }

/** A window over the page. The browser keeps the focus inside; afterwards it is where it was. */
export function Dialog({ id, title, onClose, children }: Props) {
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null
    const dialog = element.current
    dialog?.showModal()
    return () => {
      // As long as it is open, nothing beside it can have the focus.
      dialog?.close()
      if (before?.isConnected) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key is Escape
    <dialog
      id={id}
      ref={element}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <div class="dialog">
        <div class="dialog-head">
          <h2 id={`${id}-title`}>{title}</h2>
          <button type="button" class="icon-button" aria-label={t.close} onClick={onClose}>
            <Icon name="cross" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  )
}

type Question = {
  readonly title: string
  readonly hint: string
  readonly yes: string
  run(): void
}

const asked = cell<Question | undefined>(undefined)

/** Asks before something is destroyed. */
export const ask = (question: Question): void => asked.set(question)

/** What is asked, if anything. The focus is on Cancel, so that Enter destroys nothing. */
export function Asked() {
  const question = useCell(asked)
  if (question === undefined) return null
  const close = () => asked.set(undefined)
  return (
    <Dialog id="asked" title={question.title} onClose={close}>
      <p>{question.hint}</p>
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            close()
            question.run()
          }}
        >
          {question.yes}
        </button>
        <button type="button" class="plain" autofocus onClick={close}>
          {t.cancel}
        </button>
      </div>
    </Dialog>
  )
}

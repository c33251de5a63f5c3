import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { isComposing } from "./composing.js"
import { Icon, type IconName } from "./icons.js"

export type Item = { readonly text: string; readonly icon?: IconName; readonly isBad?: boolean; run(): void } | false

type Props = {
  readonly id: string
  readonly label: string
  readonly icon: IconName
  readonly items: readonly Item[]
  readonly text?: string
}

/** A button that opens a menu. Arrow keys move in it, Escape closes it. */
export function Menu({ id, label, icon, items, text }: Props) {
  const [isOpen, open] = useState(false)
  const around = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const entries = () => [...(around.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])]
  const close = () => {
    open(false)
    button.current?.focus()
  }
  useLayoutEffect(() => {
    if (isOpen) entries()[0]?.focus()
  }, [isOpen])
  useEffect(() => {
    if (!isOpen) return
    const outside = (event: PointerEvent) => {
      if (!around.current?.contains(event.target as Node)) open(false)
    }
    addEventListener("pointerdown", outside)
    return () => removeEventListener("pointerdown", outside)
  }, [isOpen])

  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen || isComposing(event)) return
    const all = entries()
    const place = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: place + 1, ArrowUp: place - 1 + all.length, Home: 0, End: all.length - 1 }[event.key]
    if (event.key === "Escape" || event.key === "Tab") close()
    else if (to !== undefined) all[to % all.length]?.focus()
    else return
    if (event.key !== "Tab") event.preventDefault()
    event.stopPropagation()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu within
    <div class="menu-around" ref={around} onKeyDown={onKeyDown}>
      <button
        type="button"
        id={id}
        ref={button}
        class={text === undefined ? "icon-button" : "quiet-button"}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={text === undefined ? label : undefined}
        title={label}
        onClick={() => open(!isOpen)}
      >
        <Icon name={icon} />
        {text}
      </button>
      {isOpen && (
        <div class="menu" role="menu" aria-label={label}>
          {items.map(
            (item) =>
              item && (
                <button
                  type="button"
                  role="menuitem"
                  tabIndex={-1}
                  key={item.text}
                  class={item.isBad ? "bad" : ""}
                  onClick={() => {
                    close()
                    item.run()
                  }}
                >
                  {item.icon && <Icon name={item.icon} />}
                  {item.text}
                </button>
              ),
          )}
        </div>
      )}
    </div>
  )
}

import { useLayoutEffect, useRef } from "preact/hooks"

type Props = {
  readonly value: string
  readonly type: "date" | "datetime-local" | "number"
  readonly id?: string
  readonly class?: string
  readonly min?: string
  readonly max?: string
  readonly "aria-label"?: string
  onChange(event: { readonly currentTarget: HTMLInputElement }): void
}

/** A field that shows a value, and leaves what is being typed into it alone until it loses the focus. */
export function ValueField({ value, ...more }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const show = () => {
    if (field.current) field.current.value = value
  }
  useLayoutEffect(() => {
    if (document.activeElement !== field.current) show()
  }, [value])
  return <input {...more} ref={field} defaultValue={value} onBlur={show} />
}

import { useEffect, useState } from "preact/hooks"
import { cell, useCell } from "./cell.js"
import { t } from "./texts.js"

type Toast = {
  readonly text: string
  readonly undo?: () => void
  /** Whether it cannot be undone any more after `SHOWN_MS`, however long it is shown. */
  readonly isTimed?: boolean
  readonly isFault?: boolean
}

const SHOWN_MS = 5_000
const FAULT_MS = 10_000

const toast = cell<Toast | undefined>(undefined)

/** Says what was done, with a way back for five seconds: with `isTimed` for no longer, also where somebody points at it. */
export const say = (text: string, undo?: () => void, isTimed = false): void => toast.set({ text, undo, isTimed })
/** Says what did not work. */
export const warn = (text: string): void => toast.set({ text, isFault: true })

/** Takes back what was done last, if that is still offered. */
export function undoLast(): void {
  const last = toast.get()
  if (last?.undo === undefined) return
  try {
    last.undo()
    say(t.undone)
  } catch {
    warn(t.tooLate)
  }
}

/** What was just done. It stays while somebody points at it or is in it. */
export function ToastBar() {
  const shown = useCell(toast)
  const [isHeld, hold] = useState(false)
  useEffect(() => {
    if (shown === undefined || isHeld) return
    const timer = setTimeout(() => toast.set(undefined), shown.isFault ? FAULT_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [shown, isHeld])
  useEffect(() => {
    if (!shown?.isTimed) return
    const timer = setTimeout(() => {
      if (toast.get() !== shown) return
      // Not every browser tells a button that goes that the focus goes with it.
      if (document.activeElement?.id === "undo") hold(false)
      toast.set({ text: shown.text })
    }, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [shown])
  return (
    <>
      <div class="unseen" role="status">
        {shown && !shown.isFault && shown.text}
      </div>
      <div class="unseen" role="alert">
        {shown?.isFault && shown.text}
      </div>
      {shown && (
        <div
          class={`toast${shown.isFault ? " bad" : ""}`}
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
        >
          <span>{shown.text}</span>
          {shown.undo && (
            <button type="button" id="undo" onClick={undoLast} onFocus={() => hold(true)} onBlur={() => hold(false)}>
              {t.undo}
            </button>
          )}
        </div>
      )}
    </>
  )
}

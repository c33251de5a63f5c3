// Moves a task's row along its list, by mouse, pen or finger.

import { isComposing } from "./composing.js"

const EDGE_PX = 48
const SCROLL_PX = 10

/**
 * Begins where a grip was pressed, and gives the row before which the dragged one was dropped: null for the end, undefined
 * when it stays where it was.
 * @param {PointerEvent} event
 * @param {HTMLElement} row
 * @param {HTMLElement[]} rows all rows of its list
 * @returns {Promise<HTMLElement | null | undefined>}
 */
export function drag(event, row, rows) {
  const grip = /** @type {HTMLElement} */ (event.target)
  const from = rows.indexOf(row)
  const middles = rows.map((one) => one.getBoundingClientRect().top + scrollY + one.offsetHeight / 2)
  const startY = event.clientY + scrollY
  let to = from
  let clientY = event.clientY

  function follow() {
    const moved = clientY + scrollY - startY
    const middle = /** @type {number} */ (middles[from]) + moved
    to = middles.filter((one, index) => index !== from && one < middle).length
    row.style.transform = `translateY(${moved}px)`
    rows.forEach((one, index) => {
      if (one === row) return
      const isPassed = from < to ? index > from && index <= to : index >= to && index < from
      one.style.transform = isPassed ? `translateY(${(from < to ? -1 : 1) * row.offsetHeight}px)` : ""
    })
  }

  return new Promise((resolve) => {
    const controller = new AbortController()
    const options = { signal: controller.signal }
    const timer = setInterval(() => {
      const step = clientY < EDGE_PX ? -SCROLL_PX : clientY > innerHeight - EDGE_PX ? SCROLL_PX : 0
      if (step === 0) return
      scrollBy(0, step)
      follow()
    }, 16)

    const end = (/** @type {boolean} */ isDropped) => {
      controller.abort()
      clearInterval(timer)
      row.classList.remove("dragged")
      row.parentElement?.classList.remove("dragging")
      for (const one of rows) one.style.transform = ""
      if (!isDropped || to === from) return resolve(undefined)
      const others = rows.filter((one) => one !== row)
      resolve(others[to] ?? null)
    }

    grip.setPointerCapture(event.pointerId)
    row.classList.add("dragged")
    row.parentElement?.classList.add("dragging")
    grip.addEventListener(
      "pointermove",
      (moved) => {
        clientY = moved.clientY
        follow()
      },
      options,
    )
    grip.addEventListener("pointerup", () => end(true), options)
    grip.addEventListener("pointercancel", () => end(false), options)
    grip.addEventListener("lostpointercapture", () => end(false), options)
    addEventListener("keydown", (key) => key.key === "Escape" && !isComposing(key) && end(false), options)
  })
}

// Where the focus goes when what has it goes.

const FOCUSABLE = "a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, summary, [tabindex]"

/** What the tab key would stop at, in its order. */
const stops = (within: Element): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
    (one) => one.tabIndex >= 0 && one.getClientRects().length > 0,
  )

/** Gives the focus of what is taken out of the page to what is nearest then. Rows of tasks know better, and come first. */
export function holdFocus(root: Element): void {
  let last: HTMLElement | undefined
  /** What it is in, from the inside out, and which of its stops it is. */
  let around: (readonly [Element, number])[] = []
  root.addEventListener("pointerdown", () => {
    last = undefined
  })
  root.addEventListener("focusin", ({ target }) => {
    last = target as HTMLElement
    around = []
    for (let one = last.parentElement; one !== null && root.contains(one); one = one.parentElement)
      around.push([one, stops(one).indexOf(last)])
  })
  new MutationObserver(() => {
    if (last === undefined || last.isConnected || document.activeElement !== document.body) return
    last = undefined
    for (const [element, place] of around) {
      const all = element.isConnected ? stops(element) : []
      const next = all[Math.min(Math.max(place, 0), all.length - 1)]
      if (next !== undefined) return next.focus({ preventScroll: true })
    }
  }).observe(root, { childList: true, subtree: true })
}

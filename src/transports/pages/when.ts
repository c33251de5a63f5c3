import { type Html, html } from "./html.js"

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

const absolute = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })
const dayOnly = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" })

/** A day, as people write it. */
export const day = (instant: string): Html =>
  html`<time datetime="${instant}">${dayOnly.format(new Date(instant))}</time>`

/** How long ago something was: the day when it is more than a month. */
export function ago(instant: string, now: Date): Html {
  const seconds = (now.getTime() - new Date(instant).getTime()) / 1000
  if (seconds > 30 * 86_400) return day(instant)
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? []
  const count = length === undefined ? 0 : Math.floor(seconds / length)
  const text = count === 0 ? "just now" : `${count} ${unit}${count === 1 ? "" : "s"} ago`
  return html`<time datetime="${instant}" title="${absolute.format(new Date(instant))} UTC">${text}</time>`
}

// How dates and sizes read. All dates are calendar dates, YYYY-MM-DD.

const DAY_MS = 86_400_000
const thisYear = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" })
const otherYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
const clock = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })

/** @type {(date: string, today: string) => string} */
export function dayInWords(date, today) {
  const days = Math.round((Date.parse(date) - Date.parse(today)) / DAY_MS)
  const near = days === 0 ? "Today" : days === 1 ? "Tomorrow" : days === -1 ? "Yesterday" : undefined
  return near ?? (date.slice(0, 4) === today.slice(0, 4) ? thisYear : otherYear).format(new Date(date))
}

/** @type {(instant: string) => string} */
export const instantInWords = (instant) => clock.format(new Date(instant))

/** The date here. @type {(now: Date) => string} */
export const dateOf = (now) =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-")

/** @type {(bytes: number) => string} */
export function sizeInWords(bytes) {
  if (bytes < 1_000) return `${bytes} bytes`
  const [unit, size] = /** @type {[string, number]} */ (
    bytes < 1e6 ? ["KB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9]
  )
  return `${(bytes / size).toFixed(bytes / size < 10 ? 1 : 0)} ${unit}`
}

/** What a list is called: an inbox has no name of its own. @type {(list: { title: string, listType: string }) => string} */
export const nameOf = ({ title, listType }) => (listType === "inbox" ? "Inbox" : title)

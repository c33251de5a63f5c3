import type { WholeTask } from "./export.statements.js"

const FREQUENCIES: Readonly<Record<string, string>> = { day: "DAILY", week: "WEEKLY", month: "MONTHLY", year: "YEARLY" }
/** Every month has it. */
const LAST_SAFE_DAY = 28
const MAX_MONTH_DAYS = 31

/**
 * The rule by which a task is due again (RFC 5545, 3.3.10). A day that a month does not have is its last one here, and comes
 * back in the next month that has it; there such a month is left out unless the rule names the days before it too.
 */
export function ruleOf({
  recurrence_type: type,
  recurrence_count: count,
  recurrence_anchor: anchor,
  due_date: due,
}: WholeTask): string | undefined {
  if (type === null || due === null) return undefined
  const plain = `RRULE:FREQ=${FREQUENCIES[type]};INTERVAL=${count}`
  const [month, day] = (anchor ?? due).split("-").slice(1).map(Number) as [number, number]
  const isLeapDay = month === 2 && day > LAST_SAFE_DAY
  if (day <= LAST_SAFE_DAY || !(type === "month" || (type === "year" && isLeapDay))) return plain
  if (type === "year") return `${plain};BYMONTH=2;BYMONTHDAY=-1`
  // Some readers do not know BYSETPOS here, so it is left to the days that cannot be told without.
  if (day === MAX_MONTH_DAYS) return `${plain};BYMONTHDAY=-1`
  const days = Array.from({ length: day - LAST_SAFE_DAY + 1 }, (_, index) => LAST_SAFE_DAY + index)
  return `${plain};BYMONTHDAY=${days.join(",")};BYSETPOS=-1`
}

import { InvalidFields, NotFound, Unavailable, type Violations } from "../errors.js"
import { violationOfQuota } from "./quotas.js"

/** The limits that the database holds itself, by the name of their constraint, as the invalid field and what would be right. */
const limits: Record<string, Violations> = {
  title_length: { title: ["must have 1 to 255 characters"] },
  name_length: { name: ["must have 1 to 255 characters"] },
  url_length: { url: ["must have 1 to 255 characters"] },
  recurrence_pair: {
    recurrenceType: ["must be given together with recurrenceCount"],
    recurrenceCount: ["must be given together with recurrenceType"],
  },
  recurrence_type_known: { recurrenceType: ["must be one of day, week, month, year"] },
  recurrence_count_range: { recurrenceCount: ["must be at least 1"] },
  reminder_date_range: { date: ["must be between the years 1 and 9999"] },
  local_created_at_range: { localCreatedAt: ["must be between the years 1 and 9999"] },
  state_known: { state: ["must be accepted"] },
  webhooks_of_list: { listId: ["has 20 webhooks, and no list may have more"] },
  webhooks_of_account: { listId: ["required: your account has 20 webhooks without a list, and none may have more"] },
  webhooks_of_user: { createdById: ["has made 100 webhooks, and nobody may have more"] },
  applications_of_user: { name: ["cannot be given: you have 100 applications, and nobody may have more"] },
  personal_tokens_of_user: { name: ["cannot be given: you have 100 personal tokens, and nobody may have more"] },
  users_email_key: { email: ["is already in use"] },
  settings_user_id_key_key: { key: ["is already in use: change that setting instead"] },
}

type DatabaseError = { code?: string; constraint?: string; message: string; detail?: string }

/** PostgreSQL's own error; Prisma wraps it. */
function causeOf(error: unknown): DatabaseError {
  const { meta, message } = error as { meta?: { driverAdapterError?: { cause?: PrismaCause } }; message: string }
  const cause = meta?.driverAdapterError?.cause
  if (cause === undefined) return error as DatabaseError
  const { originalCode, originalMessage = message, constraint } = cause
  const named = constraint?.index ?? /constraint "([^"]+)"/.exec(originalMessage)?.[1]
  return { code: originalCode, constraint: named, message: originalMessage }
}

type PrismaCause = { originalCode?: string; originalMessage?: string; constraint?: { index?: string } }

const READ_ONLY = "25006"

/** Whether the server takes no writes any more, as a primary that has been demoted: its connections lead to the wrong one. */
export const isReadOnly = (error: unknown): boolean => causeOf(error).code === READ_ONLY

// P2028 is Prisma's: no connection became free for a transaction.
const GONE =
  /^(08...|P2028|25006|57P0[1-35]|57014|55P03|53...|ECONN(REFUSED|RESET)|EPIPE|ETIMEDOUT|ENOTFOUND|ENETUNREACH|EHOSTUNREACH)$/
const GONE_IN_WORDS =
  /Can't reach database server|server has closed the connection|Connection terminated|connection timeout|timeout exceeded|timeout expired|read timeout|Client has encountered a connection error|not queryable|was closed/i

/** Whether PostgreSQL refused the statement, and with it all that follows in its transaction. Prisma's own codes begin with P1 and P2. */
export const endsTransaction = (error: unknown): boolean => /^(?!P[12])[\dA-Z]{5}$/.test(causeOf(error).code ?? "")

/** Whether PostgreSQL gave the statement up for another one's sake, so that running it again is right. */
export const mayRepeat = (error: unknown): boolean => /^40(P01|001)$/.test(causeOf(error).code ?? "")

/** What a client may know of a database error; an error that is a fault of ours comes back as it is. */
export function problemOf(error: unknown): unknown {
  const { code = "", constraint = "", message, detail = "" } = causeOf(error)
  if (code === "23514" || code === "23505") {
    const violations = limits[constraint] ?? violationOfQuota(constraint, detail)
    return violations === undefined ? error : new InvalidFields(violations)
  }
  // What it belongs to went in the same moment; or Prisma has found no row to update or to delete.
  if (code === "23503" || code === "P2025") return new NotFound()
  if (GONE.test(code) || GONE_IN_WORDS.test(message) || mayRepeat(error))
    return Object.assign(new Unavailable(), { cause: error })
  return error
}

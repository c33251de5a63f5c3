import { RateLimited } from "../errors.js"
import type { Runner } from "../statement.js"
import { countFailure } from "./attempts.js"
import type { Mail } from "./mailer.js"

const MAILS_FROM_NETWORK = 30
const MAILS_TO_ADDRESS = 5

/** Refuses a network that requests too many mails, whatever their addresses. @throws RateLimited */
export const mayAskForMail = (database: Runner, network: string): Promise<void> =>
  countFailure(database, ["mails from", network], MAILS_FROM_NETWORK)

/** The mail, unless its address has had too many: then none, in silence. */
export async function unlessFlooded(
  database: Runner,
  email: string,
  mail: () => Promise<Mail | undefined>,
): Promise<Mail | undefined> {
  try {
    await countFailure(database, ["mails to", email], MAILS_TO_ADDRESS)
  } catch (error) {
    if (error instanceof RateLimited) return undefined
    throw error
  }
  return mail()
}

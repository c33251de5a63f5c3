import { RateLimited } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import { countFailure, refuseAfterFailures } from "./attempts.js"
import type { Mail } from "./mailer.js"

const MAILS_FROM_NETWORK = 30
const MAILS_TO_ADDRESS = 5
const INVITATIONS_OF_USER = 100

const fromNetwork = (network: string) => ["mails from", network]

/** Refuses a network that requests too many mails, whatever their addresses. @throws RateLimited */
export const mayAskForMail = (database: Runner, network: string): Promise<void> =>
  countFailure(database, fromNetwork(network), MAILS_FROM_NETWORK)

/** The same without counting, before something that is used up, such as a code. @throws RateLimited */
export const mightAskForMail = (database: Runner, network: string): Promise<void> =>
  refuseAfterFailures(database, fromNetwork(network), MAILS_FROM_NETWORK - 1)

/** The mail, unless its address has had too many: then none, in silence. */
export const unlessFlooded = (
  database: Runner,
  email: string,
  mail: () => Promise<Mail | undefined>,
): Promise<Mail | undefined> => unlessTooMany(() => countFailure(database, ["mails to", email], MAILS_TO_ADDRESS), mail)

/** An invitation's mail, the same: counted apart, so that nobody keeps others from a mail that they ask for themselves. */
export const unlessInvitedTooOften = (
  database: Runner,
  { to, inviterId }: { readonly to: string; readonly inviterId: Id },
  mail: () => Promise<Mail>,
): Promise<Mail | undefined> =>
  unlessTooMany(async () => {
    await countFailure(database, ["invitations of", inviterId], INVITATIONS_OF_USER)
    await countFailure(database, ["invitations to", to], MAILS_TO_ADDRESS)
  }, mail)

async function unlessTooMany(
  count: () => Promise<void>,
  mail: () => Promise<Mail | undefined>,
): Promise<Mail | undefined> {
  try {
    await count()
  } catch (error) {
    if (error instanceof RateLimited) return undefined
    throw error
  }
  return mail()
}

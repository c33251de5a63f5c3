import type { Transacted } from "../context.js"
import { Forbidden, InvalidFields } from "../errors.js"
import type { Id } from "../statement.js"
import { passwordOfUser } from "./account.rows.js"
import { credentialsByEmail } from "./account.statements.js"
import { type Attempt, beginAttempt, forgetFailures } from "./attempts.js"
import { isPassword } from "./password.js"

const FAILURES_OF_NETWORK = 100
const WRONG_PASSWORD = ["is wrong"]
/** What a user is told whom an operator keeps out. */
export const DISABLED = "This account was disabled. Please ask the people who run this service."

const ofAccount = (email: string) => ["password", email]
const ofUser = (userId: Id) => ["password of", userId]

/**
 * Whose address and password these are. Takes as long for an address that nobody has, and counts failures for it alike: for
 * the account, over all networks, and for each network. Both are counted before anything is hashed.
 * @throws InvalidFields, Forbidden when the account is disabled, RateLimited, Unavailable when too many sign in at the moment
 */
export async function signIn(database: Transacted, email: string, password: string, network: string): Promise<Id> {
  const ofNetwork = await beginAttempt(database, ["passwords", network], FAILURES_OF_NETWORK)
  const attempt = await beginAttempt(database, ofAccount(email))
  const [known] = await database.run(credentialsByEmail, [email])
  const isRight = await unlessFull([ofNetwork, attempt], () => isPassword(password, known?.passwordHash))
  if (known !== undefined && isRight) {
    await Promise.all([attempt.succeed(), ofNetwork.takeBack()])
    if (known.isDisabled) throw new Forbidden(DISABLED)
    return known.userId
  }
  ofNetwork.fail()
  attempt.fail()
  throw new InvalidFields({ password: WRONG_PASSWORD })
}

/** Whether it is the user's own password, asked again before something that it guards. @throws InvalidFields, RateLimited, Unavailable */
export async function proveAgain(database: Transacted, userId: Id, password: string): Promise<void> {
  const attempt = await beginAttempt(database, ofUser(userId))
  const hash = await passwordOfUser(database, userId)
  if (await unlessFull([attempt], () => isPassword(password, hash))) return attempt.succeed()
  attempt.fail()
  throw new InvalidFields({ password: WRONG_PASSWORD })
}

/** Lets the owner of a mailbox in again whose account others have guessed at. */
export async function forgetWrongPasswords(database: Transacted, userId: Id, email: string): Promise<void> {
  await Promise.all([ofAccount(email), ofUser(userId)].map((counted) => forgetFailures(database, counted)))
}

/** What was not looked at counts as no failure. */
async function unlessFull(attempts: readonly Attempt[], work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    await Promise.all(attempts.map((attempt) => attempt.takeBack()))
    throw error
  }
}

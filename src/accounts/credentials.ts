import { InvalidFields } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import { credentialsByEmail, passwordOfUser } from "./account.statements.js"
import { beginAttempt, countFailure, refuseAfterFailures } from "./attempts.js"
import { isPassword } from "./password.js"

const FAILURES_OF_NETWORK = 100
const WRONG_PASSWORD = ["is wrong"]

/**
 * Whose address and password these are. Takes as long for an address that nobody has, and counts failures for it alike.
 * @param network whom the attempt comes from: failures of one do not lock out another
 * @throws InvalidFields, RateLimited
 */
export async function signIn(database: Runner, email: string, password: string, network: string): Promise<Id> {
  await refuseAfterFailures(database, ["passwords", network], FAILURES_OF_NETWORK)
  const attempt = await beginAttempt(database, ["password", email, network])
  const [known] = await database.run(credentialsByEmail, [email])
  const isRight = await isPassword(password, known?.passwordHash)
  if (known !== undefined && isRight) {
    await attempt.succeed()
    return known.userId
  }
  await countFailure(database, ["passwords", network], FAILURES_OF_NETWORK)
  attempt.fail()
  throw new InvalidFields({ password: WRONG_PASSWORD })
}

/** Whether it is the user's own password, asked again before something that it guards. @throws InvalidFields, RateLimited */
export async function proveAgain(database: Runner, userId: Id, password: string, network: string): Promise<void> {
  const attempt = await beginAttempt(database, ["password of", userId, network])
  const [hash] = await database.run(passwordOfUser, [userId])
  if (await isPassword(password, hash)) return attempt.succeed()
  attempt.fail()
  throw new InvalidFields({ password: WRONG_PASSWORD })
}

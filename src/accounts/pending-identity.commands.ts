import { newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { credentialsByEmail } from "./account.statements.js"
import { signIn } from "./credentials.js"
import { createWithIdentity, linkIdentity } from "./identity.commands.js"
import { findPending, type PendingIdentity, setMailedToken, takePending } from "./identity.rows.js"
import { mayAskForMail, unlessFlooded } from "./mail-limits.js"
import { alreadySignedUpMail, confirmIdentityMail } from "./mails.js"
import { proveSecondFactor } from "./second-factor.commands.js"
import { maySignUp } from "./sign-up.commands.js"

// All of it is for the browser that came back from the provider, and for no other: else somebody could enter another person's
// address there and wait until that person opens the link.

/** Links it to the account of its address, whose password proves it, with a code where it has a second factor.
 *  @throws NotFound, InvalidFields, Forbidden, RateLimited */
export async function linkByPassword(
  parts: AccountParts,
  token: string,
  browser: string,
  { password, code, network, now }: { password: string; code: string; network: string; now: Date },
): Promise<{ userId: Id; pending: PendingIdentity }> {
  const { email } = await findPending(parts.database, "tokenHash", token, browser)
  const userId = await signIn(parts.database, email, password, network)
  await proveSecondFactor(parts, userId, code, now)
  const pending = await takePending(parts.database, "tokenHash", token, browser)
  await linkIdentity(parts, userId, pending)
  return { userId, pending }
}

/** Mails a link that creates the account, or says that there is one; to an address that may have none, nothing. The answer and its
 *  time are the same. @throws NotFound, RateLimited */
export async function askToConfirm(
  parts: AccountParts,
  token: string,
  browser: string,
  network: string,
): Promise<string> {
  const { database, mailer, publicUrl } = parts
  const { email, invitation } = await findPending(database, "tokenHash", token, browser)
  await mayAskForMail(database, network)
  void mailer.later(() =>
    unlessFlooded(database, email, async () => {
      const [known] = await database.run(credentialsByEmail, [email])
      if (known !== undefined) return alreadySignedUpMail(email, publicUrl())
      if (!(await maySignUp(parts, email, invitation))) return undefined
      const mailed = newSecret()
      await setMailedToken(database, token, mailed)
      return confirmIdentityMail(email, `${publicUrl()}/sign-in/provider/confirm?token=${mailed}`)
    }),
  )
  return email
}

/** Creates the account whose mailed link was opened. @throws NotFound, InvalidFields, Forbidden */
export async function confirmByMail(
  parts: AccountParts,
  token: string,
  browser: string,
): Promise<{ userId: Id; pending: PendingIdentity }> {
  const pending = await takePending(parts.database, "mailedHash", token, browser)
  return { userId: await createWithIdentity(parts, pending), pending }
}

import { InvalidFields, NotFound } from "../errors.js"
import { createUser } from "../resources/user/user.commands.js"
import type { Id, Runner } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { credentialsByEmail } from "./account.statements.js"
import { mayAskForMail, unlessFlooded } from "./mail-limits.js"
import { createMailedLink, dropSignUpLinks, takeMailedLink } from "./mailed-link.js"
import { alreadySignedUpMail, signUpMail } from "./mails.js"
import { faultOfPassword, hashPassword } from "./password.js"

/** Mails a link that signs up, or says that there is an account; the answer and its time are the same. @throws RateLimited */
export async function askToSignUp(parts: AccountParts, email: string, network: string, next?: string): Promise<void> {
  const { database, mailer, publicUrl } = parts
  await mayAskForMail(database, network)
  mailer.later(() =>
    unlessFlooded(database, email, async () => {
      const [known] = await database.run(credentialsByEmail, [email])
      if (known !== undefined) return alreadySignedUpMail(email, publicUrl())
      const token = await createMailedLink(database, "sign-up", { email, userId: null, next })
      return signUpMail(email, `${publicUrl()}/sign-up/finish?token=${token}`)
    }),
  )
}

/** Makes the account of who opened a mailed link, out of the placeholder if invitations have made one.
 *  @throws NotFound when the link is used or too old, InvalidFields */
export async function finishSignUp(
  database: Runner,
  token: string,
  name: string,
  password: string,
  email: string,
): Promise<Id> {
  const fault = faultOfPassword(password, email)
  if (fault !== undefined) throw new InvalidFields({ password: [fault] })
  const passwordHash = await hashPassword(password)
  const link = await takeMailedLink(database, "sign-up", token)
  if (link === undefined) throw new NotFound()
  await dropSignUpLinks(database, link.email)
  return (await createUser(database, { name, email: link.email, passwordHash, verified: true })).id
}

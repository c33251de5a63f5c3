import { Forbidden, NotFound } from "../errors.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { credentialsByEmail, setPassword } from "./account.statements.js"
import { forgetWrongPasswords, proveAgain } from "./credentials.js"
import { dropIdentities } from "./identity.statements.js"
import { mayAskForMail, unlessFlooded } from "./mail-limits.js"
import { createMailedLink, dropMailedLinks, takeMailedLink } from "./mailed-link.js"
import { passwordChangedMail, resetMail } from "./mails.js"
import { hashChosen } from "./password.js"
import { endOtherSessions } from "./session.js"

/** @throws Forbidden where people sign in with the provider alone */
export function refuseWithoutPasswords({ passwordSignIn, identityProvider }: AccountParts): void {
  if (!passwordSignIn) throw new Forbidden(`Sign in with ${identityProvider?.name}: passwords are not taken.`)
}

/** Mails a link that lets choose a new password, if the address has an account; the answer and its time are the same.
 *  @throws RateLimited */
export async function askForReset(
  { database, mailer, publicUrl }: AccountParts,
  email: string,
  network: string,
): Promise<void> {
  await mayAskForMail(database, network)
  void mailer.later(async () => {
    const [known] = await database.run(credentialsByEmail, [email])
    if (known === undefined || known.isDisabled) return undefined
    return unlessFlooded(database, email, async () => {
      const token = await createMailedLink(database, "reset-password", { email, userId: known.userId, next: undefined })
      return resetMail(email, `${publicUrl()}/reset-password/finish?token=${token}`)
    })
  })
}

/** Sets a new password for the user who opened a mailed link, unlinks their identities, and signs them out everywhere.
 *  @throws Forbidden, NotFound, InvalidFields */
export async function finishReset(parts: AccountParts, token: string, password: string, email: string): Promise<Id> {
  refuseWithoutPasswords(parts)
  const passwordHash = await hashChosen(password, email)
  const link = await takeMailedLink(parts.database, "reset-password", token)
  if (link?.userId == null) throw new NotFound()
  await parts.database.run(dropIdentities, [link.userId])
  await replacePassword(parts, link.userId, passwordHash, null)
  await forgetWrongPasswords(parts.database, link.userId, link.email)
  return link.userId
}

/**
 * Changes a user's password, after checking the current one, and signs the user out of every other browser. A user without one
 * gets a mailed link instead: a session alone must not become a lasting way in.
 * @throws Forbidden, InvalidFields, RateLimited
 */
export async function changePassword(
  parts: AccountParts,
  user: { id: Id; email: string; hasPassword: boolean },
  passwords: { old: string; new: string },
  { session, network }: { session: Id; network: string },
): Promise<"changed" | "mailed"> {
  refuseWithoutPasswords(parts)
  if (!user.hasPassword) {
    await askForReset(parts, user.email, network)
    return "mailed"
  }
  await proveAgain(parts.database, user.id, passwords.old)
  await replacePassword(parts, user.id, await hashChosen(passwords.new, user.email, "newPassword"), session)
  return "changed"
}

async function replacePassword(
  { database, mailer, publicUrl, tokensEnded }: AccountParts,
  userId: Id,
  passwordHash: string,
  kept: Id | null,
): Promise<void> {
  const [email] = await database.run(setPassword, [userId, passwordHash])
  tokensEnded(await endOtherSessions(database, userId, kept))
  if (email === undefined) throw new NotFound()
  await dropMailedLinks(database, userId)
  void mailer.later(async () => passwordChangedMail(email, publicUrl()))
}

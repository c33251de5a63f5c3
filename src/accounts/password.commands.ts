import type { Transacted } from "../context.js"
import { Forbidden, NotFound } from "../errors.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { setPassword } from "./account.rows.js"
import { credentialsByEmail } from "./account.statements.js"
import { forgetWrongPasswords } from "./credentials.js"
import { dropIdentities } from "./identity.rows.js"
import { mayAskForMail, unlessFlooded } from "./mail-limits.js"
import { createMailedLink, dropMailedLinks, takeMailedLink } from "./mailed-link.js"
import { passwordChangedMail, resetMail } from "./mails.js"
import { hashChosen, refuseUnfit } from "./password.js"
import { type Proof, proveOwner } from "./second-factor.commands.js"
import { dropHalfSignIns } from "./second-factor.rows.js"
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
  const { userId, ...done } = await parts.database.transaction(async (inside) => {
    const link = await takeMailedLink(inside, "reset-password", token)
    if (link?.userId == null) throw new NotFound()
    await dropIdentities(inside, link.userId)
    const replaced = await replacePassword(inside, link.userId, passwordHash, null)
    await forgetWrongPasswords(inside, link.userId, link.email)
    return { userId: link.userId, ...replaced }
  })
  tellOfNewPassword(parts, done)
  return userId
}

/**
 * Changes a user's password, after checking the current one and the second factor, and signs the user out of every other browser. A user without one
 * gets a mailed link instead: a session alone must not become a lasting way in.
 * @throws Forbidden, InvalidFields, RateLimited
 */
export async function changePassword(
  parts: AccountParts,
  user: { id: Id; email: string; hasPassword: boolean },
  { newPassword, ...proof }: Proof & { newPassword: string },
  { session, network }: { session: Id; network: string },
): Promise<"changed" | "mailed"> {
  refuseWithoutPasswords(parts)
  if (!user.hasPassword) {
    await askForReset(parts, user.email, network)
    return "mailed"
  }
  refuseUnfit(newPassword, user.email, "newPassword")
  await proveOwner(parts, user.id, proof)
  const hash = await hashChosen(newPassword, user.email, "newPassword")
  tellOfNewPassword(
    parts,
    await parts.database.transaction((inside) => replacePassword(inside, user.id, hash, session)),
  )
  return "changed"
}

/** What others are to be told when a password has been replaced. */
type Replaced = { readonly email: string; readonly ended: readonly Id[] }

async function replacePassword(
  inside: Transacted,
  userId: Id,
  passwordHash: string,
  kept: Id | null,
): Promise<Replaced> {
  const email = await setPassword(inside, userId, passwordHash)
  const ended = await endOtherSessions(inside, userId, kept)
  await dropMailedLinks(inside, userId)
  await dropHalfSignIns(inside, userId)
  return { email, ended }
}

function tellOfNewPassword({ mailer, publicUrl, tokensEnded }: AccountParts, { email, ended }: Replaced): void {
  tokensEnded(ended)
  void mailer.later(async () => passwordChangedMail(email, publicUrl()))
}

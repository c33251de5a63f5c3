import type { Rows } from "../context.js"
import { InvalidFields } from "../errors.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { accountDeletedMail } from "./mails.js"
import { type Proof, proveOwner } from "./second-factor.commands.js"

/** How long ago somebody may have signed in who deletes their account without a password. */
const FRESH_MS = 10 * 60_000

/** Whether a session has begun within the last ten minutes. */
export async function isFresh({ prisma }: Rows, sessionId: Id, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - FRESH_MS)
  return (await prisma.session.count({ where: { id: BigInt(sessionId), createdAt: { gt: since } } })) > 0
}

/** Whether deleting asks for the password: not where passwords open no account, for nobody can choose another one there. */
export const asksForPassword = (
  { passwordSignIn }: Pick<AccountParts, "passwordSignIn">,
  { hasPassword }: { readonly hasPassword: boolean },
): boolean => passwordSignIn && hasPassword

/** Deletes the account of somebody who proves again that it is theirs: by password and second factor, or by a sign-in of just now.
 *  @throws InvalidFields, RateLimited, Unavailable */
export async function deleteAccount(
  parts: AccountParts,
  { user, id }: { readonly user: { id: Id; email: string; hasPassword: boolean }; readonly id: Id },
  proof: Proof,
): Promise<void> {
  const { database, mailer, publicUrl, tokensEnded } = parts
  if (asksForPassword(parts, user)) await proveOwner(parts, user.id, proof)
  else if (!(await isFresh(database, id, proof.now)))
    throw new InvalidFields({ session: ["is more than ten minutes old: sign out and in again first"] })
  await database.prisma.user.deleteMany({ where: { id: BigInt(user.id) } })
  tokensEnded([])
  void mailer.later(async () => accountDeletedMail(user.email, publicUrl()))
}

import { InvalidFields } from "../errors.js"
import type { Id, Runner } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { proveAgain } from "./credentials.js"
import { accountDeletedMail } from "./mails.js"
import { listSessions } from "./session.js"

/** How long ago somebody without a password may have signed in who deletes their account. */
const FRESH_MS = 10 * 60_000

/** Whether a session has begun within the last ten minutes. */
export async function isFresh(database: Runner, userId: Id, sessionId: Id, now: Date): Promise<boolean> {
  const session = (await listSessions(database, userId)).find(({ id }) => id === sessionId)
  return session !== undefined && now.getTime() - Date.parse(session.createdAt) < FRESH_MS
}

/** Deletes the account of somebody who proves again that it is theirs: by the password, or without one by a sign-in of just now.
 *  @throws InvalidFields, RateLimited, Unavailable */
export async function deleteAccount(
  { database, mailer, publicUrl, tokensEnded }: AccountParts,
  { user, id }: { readonly user: { id: Id; email: string; hasPassword: boolean }; readonly id: Id },
  password: string,
  now: Date,
): Promise<void> {
  if (user.hasPassword) await proveAgain(database, user.id, password)
  else if (!(await isFresh(database, user.id, id, now)))
    throw new InvalidFields({ session: ["is more than ten minutes old: sign out and in again first"] })
  await database.prisma.user.deleteMany({ where: { id: BigInt(user.id) } })
  tokensEnded([])
  void mailer.later(async () => accountDeletedMail(user.email, publicUrl()))
}

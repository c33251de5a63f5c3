import { NotFound } from "../errors.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { dropPlaceholder, moveMemberships, setEmail } from "./account.rows.js"
import { credentialsByEmail, placeholderOf } from "./account.statements.js"
import { mayAskForMail, mightAskForMail, unlessFlooded } from "./mail-limits.js"
import { createMailedLink, dropMailedLinks, takeMailedLink } from "./mailed-link.js"
import { alreadySignedUpMail, changeEmailMail, emailChangedMail } from "./mails.js"
import { type Proof, proveOwner } from "./second-factor.commands.js"

/** Mails a link to the address that is to be the user's; until it is opened nothing changes. @throws InvalidFields, RateLimited */
export async function askForNewEmail(
  parts: AccountParts,
  user: { id: Id; email: string },
  { email, ...proof }: Proof & { email: string },
  network: string,
): Promise<void> {
  const { database, mailer, publicUrl } = parts
  await mightAskForMail(database, network)
  await proveOwner(parts, user.id, proof)
  await mayAskForMail(database, network)
  void mailer.later(() =>
    unlessFlooded(database, email, async () => {
      const [known] = await database.run(credentialsByEmail, [email])
      if (known !== undefined) return alreadySignedUpMail(email, publicUrl())
      const token = await createMailedLink(database, "change-email", { email, userId: user.id, next: undefined })
      return changeEmailMail(email, `${publicUrl()}/account/email?token=${token}`)
    }),
  )
}

/** Gives a user the address whose mailed link was opened, with the invitations that were sent to it.
 *  @throws NotFound when the link is used, too old or another's; InvalidFields when the address is somebody's by now */
export async function finishNewEmail(
  { database, mailer, publicUrl }: AccountParts,
  userId: Id,
  token: string,
  requestId: string,
): Promise<void> {
  const before = await database.transaction(async (inside) => {
    const link = await takeMailedLink(inside, "change-email", token)
    if (link?.userId !== userId) throw new NotFound()
    const [placeholder] = await inside.run(placeholderOf, [link.email])
    if (placeholder !== undefined) {
      await moveMemberships(inside, placeholder, userId, requestId)
      await dropPlaceholder(inside, placeholder)
    }
    const email = await setEmail(inside, userId, link.email, requestId)
    await dropMailedLinks(inside, userId)
    return email
  })
  void mailer.later(async () => emailChangedMail(before, publicUrl()))
}

import { Forbidden, NotFound } from "../errors.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { isInvited } from "./account.rows.js"
import { credentialsByEmail } from "./account.statements.js"
import { createAccount, isInvitation } from "./invitation-link.commands.js"
import { mayAskForMail, unlessFlooded } from "./mail-limits.js"
import { createMailedLink, dropSignUpLinks, takeMailedLink } from "./mailed-link.js"
import { alreadySignedUpMail, signUpMail } from "./mails.js"
import { hashChosen } from "./password.js"

/** Whether an address may get an account on the pages: by its invitation, or as SIGN_UP has it. */
export async function maySignUp(parts: AccountParts, email: string, invitation?: Uint8Array): Promise<boolean> {
  const { database, signUp } = parts
  if (invitation !== undefined) return isInvitation(parts, invitation, email)
  return signUp === "open" || (signUp === "invited" && (await isInvited(database, email)))
}

/** @throws Forbidden where nobody signs up by page, or only people with an invitation do */
export function refuseClosed({ signUp, passwordSignIn, identityProvider }: AccountParts, hasInvitation = false): void {
  if (!passwordSignIn)
    throw new Forbidden(`Sign in with ${identityProvider?.name}: that is how accounts are created here.`)
  if (signUp === "closed" && !hasInvitation)
    throw new Forbidden("Sign-up is closed. Ask the operator of this service for an account.")
}

/**
 * Mails a link that signs up, or says that there is an account; to an address that may have none, nothing. The answer and its
 * time are the same.
 * @throws RateLimited, Forbidden
 */
export async function askToSignUp(
  parts: AccountParts,
  email: string,
  network: string,
  { next, invitation }: { next?: string | undefined; invitation?: Uint8Array<ArrayBuffer> | undefined } = {},
): Promise<void> {
  const { database, mailer, publicUrl } = parts
  refuseClosed(parts, invitation !== undefined)
  await mayAskForMail(database, network)
  void mailer.later(() =>
    unlessFlooded(database, email, async () => {
      const [known] = await database.run(credentialsByEmail, [email])
      if (known !== undefined) return alreadySignedUpMail(email, publicUrl())
      if (!(await maySignUp(parts, email, invitation))) return undefined
      const token = await createMailedLink(database, "sign-up", { email, userId: null, next, invitation })
      return signUpMail(email, `${publicUrl()}/sign-up/finish?token=${token}`)
    }),
  )
}

/** Creates the account for a mailed link that was opened, out of the placeholder if invitations have created one.
 *  @throws NotFound when the link is used or too old or its address may have no account any more, InvalidFields, Forbidden */
export async function finishSignUp(
  parts: AccountParts,
  token: string,
  name: string,
  password: string,
  email: string,
): Promise<Id> {
  const { database, signUp } = parts
  const passwordHash = await hashChosen(password, email)
  return database.transaction(async (inside) => {
    const link = await takeMailedLink(inside, "sign-up", token)
    refuseClosed(parts, link?.invitation !== undefined)
    if (link === undefined || !(await maySignUp(parts, link.email, link.invitation))) throw new NotFound()
    await dropSignUpLinks(inside, link.email)
    const person = { name, email: link.email, passwordHash, verified: true }
    return createAccount(inside, signUp, person, link.invitation)
  })
}

import type { Rows } from "../context.js"
import { Forbidden, InvalidFields, NotFound } from "../errors.js"
import { newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { credentialsByEmail, lockUser } from "./account.statements.js"
import { DISABLED } from "./credentials.js"
import {
  type Asked,
  addIdentity,
  hasOtherIdentity,
  idTokenOfSession,
  keepPending,
  type PendingIdentity,
  userOfIdentity,
} from "./identity.rows.js"
import type { ProvedIdentity } from "./identity-claims.js"
import { providerOf } from "./identity-request.js"
import { createAccount } from "./invitation-link.commands.js"
import { identityLinkedMail } from "./mails.js"
import { maySignUp } from "./sign-up.commands.js"

const INVITATION_OVER = "This invitation is over, or is for another address. Ask the person who sent it for a new one."

/** Whose account it is, or the token of what must be proved first. */
export type Admitted = { readonly userId: Id } | { readonly pendingToken: string }

/**
 * Lets somebody in whom the provider has signed in: by issuer and subject; else, when the provider says that the address is theirs,
 * into the account of that address or into a new one. An account that the issuer knows under another subject, and an address
 * that is not said to be theirs, must be proved first: the address may have passed on to another person.
 * @param browser its cookie
 * @throws Forbidden without an address, for a disabled account, and where the address may have no account
 */
export async function admit(
  parts: AccountParts,
  identity: ProvedIdentity,
  browser: string,
  asked: Asked,
): Promise<Admitted> {
  const { database } = parts
  const { issuer, subject, email } = identity
  const { name } = providerOf(parts)
  const known = await userOfIdentity(database, issuer, subject)
  if (known?.isDisabled) throw new Forbidden(DISABLED)
  if (known !== undefined) return { userId: known.userId }
  if (email === undefined)
    throw new Forbidden(
      `${name} does not tell your email address, without which there is no account here. Enter one there, or ask the operator of this service.`,
    )
  const person = { ...identity, email, ...asked }
  const [account] = await database.run(credentialsByEmail, [email])
  if (account === undefined && identity.isVerified) return { userId: await createWithIdentity(parts, person) }
  if (account === undefined || !identity.isVerified)
    return { pendingToken: await waitForProof(database, person, browser) }
  if (account.isDisabled) throw new Forbidden(DISABLED)
  if (await linkUnlessKnownOtherwise(parts, account.userId, person)) return { userId: account.userId }
  return { pendingToken: await waitForProof(database, person, browser) }
}

async function waitForProof(rows: Rows, person: PendingIdentity, browser: string): Promise<string> {
  const token = newSecret()
  await keepPending(rows, token, browser, person)
  return token
}

/** Creates the account of somebody whose address is proved. @throws Forbidden where the address may have none */
export async function createWithIdentity(parts: AccountParts, person: PendingIdentity): Promise<Id> {
  const { issuer, subject, email, name, invitation } = person
  if (!(await maySignUp(parts, email, invitation)))
    throw new Forbidden(
      invitation !== undefined
        ? INVITATION_OVER
        : parts.signUp === "invited"
          ? `Nobody has invited ${email} to a list, and only people who were invited get an account here.`
          : `There is no account for ${email}, and sign-up is closed. Ask the operator of this service for one.`,
    )
  try {
    return await parts.database.transaction(async (runner) => {
      const id = await createAccount(runner, parts.signUp, { name, email, verified: true }, invitation)
      await addTo(runner, id, issuer, subject)
      return id
    })
  } catch (error) {
    if (error instanceof NotFound && invitation !== undefined) throw new Forbidden(INVITATION_OVER)
    if (!(error instanceof InvalidFields) || error.violations.email === undefined) throw error
    // Another tab, or another person with the address, came first.
    const known = await userOfIdentity(parts.database, issuer, subject)
    if (known !== undefined) return known.userId
    throw new Forbidden(`An account for ${email} was created a moment ago. Sign in again.`)
  }
}

/** From now on the identity opens the account. Its owner is told by mail. */
export async function linkIdentity(parts: AccountParts, userId: Id, person: PendingIdentity): Promise<void> {
  await addTo(parts.database, userId, person.issuer, person.subject)
  tellOwner(parts, person)
}

/** The same, unless the issuer knows the account under another subject: also when both come at the same moment. */
async function linkUnlessKnownOtherwise(parts: AccountParts, userId: Id, person: PendingIdentity): Promise<boolean> {
  const added = await parts.database.transaction(async (inside) => {
    await inside.run(lockUser, [userId])
    const identity = [userId, person.issuer, person.subject] as const
    return !(await hasOtherIdentity(inside, ...identity)) && addIdentity(inside, ...identity)
  })
  if (!added) return false
  tellOwner(parts, person)
  return true
}

function tellOwner(parts: AccountParts, { email }: PendingIdentity): void {
  const { mailer, publicUrl } = parts
  void mailer.later(async () => identityLinkedMail(email, publicUrl(), providerOf(parts).name))
}

async function addTo(rows: Rows, userId: Id, issuer: string, subject: string): Promise<void> {
  if (!(await addIdentity(rows, userId, issuer, subject))) throw new NotFound()
}

/** What to ask, before a session ends, to sign it out at the provider too: gives the address to go to, if there is one. */
export async function signOutAtProvider({ database, identityProvider }: AccountParts, cookie: string) {
  if (identityProvider === undefined) return undefined
  const session = await idTokenOfSession(database, cookie)
  return session === null ? undefined : identityProvider.signOutUrl(session)
}

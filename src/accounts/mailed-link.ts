import { hashOf, newSecret } from "../signing/secret.js"
import { type Fields, type Id, type Runner, statement } from "../statement.js"

/** A link of one purpose opens nothing of another. */
export type Purpose = "sign-up" | "reset-password" | "change-email"

/** A mailed link: opening it proves access to the mailbox. */
export type MailedLink = {
  readonly email: string
  /** Whose account it is about; null for somebody who signs up. */
  readonly userId: Id | null
  /** A page to go on to. */
  readonly next: string | undefined
  /** The invitation with which somebody signs up, if there is one. */
  readonly invitation?: string | undefined
}

const link = ([email, userId, next, invitation]: Fields): MailedLink => ({
  email: email as string,
  userId: userId ?? null,
  next: next ?? undefined,
  invitation: invitation ?? undefined,
})

const insertLink = statement(
  "insert_mailed_link",
  `insert into mailed_links (token_hash, purpose, email, user_id, next, invitation_hash, expires_at)
   values ($1, $2, $3, $4::bigint, $5, $6::bytea, now() + interval '1 hour')`,
  () => true,
)
// A link to reset a password is its user's only while the address that it was mailed to is.
const GOOD = `token_hash = $1 and purpose = $2 and expires_at > now() and (purpose <> 'reset-password'
  or exists (select from users u where u.id = mailed_links.user_id and u.email = mailed_links.email))`
const linkByToken = statement(
  "mailed_link_by_token",
  `select email, user_id, next, invitation_hash from mailed_links where ${GOOD}`,
  link,
)
const takeLink = statement(
  "take_mailed_link",
  `delete from mailed_links where ${GOOD} returning email, user_id, next, invitation_hash`,
  link,
)
const dropSignUps = statement(
  "drop_sign_up_links",
  "delete from mailed_links where email = $1 and purpose = 'sign-up'",
  () => true,
)
const dropLinksOf = statement("drop_mailed_links", "delete from mailed_links where user_id = $1::bigint", () => true)

/** Makes a link's token, good once and for an hour. */
export async function createMailedLink(
  database: Runner,
  purpose: Purpose,
  { email, userId, next, invitation }: MailedLink,
): Promise<string> {
  const token = newSecret()
  await database.run(insertLink, [hashOf(token), purpose, email, userId, next, invitation])
  return token
}

/** Looks at a link without using it: programs that check mails open links too. */
export async function findMailedLink(
  database: Runner,
  purpose: Purpose,
  token: string,
): Promise<MailedLink | undefined> {
  return (await database.run(linkByToken, [hashOf(token), purpose]))[0]
}

/** Uses a link: a result for one of any number of requests. */
export async function takeMailedLink(
  database: Runner,
  purpose: Purpose,
  token: string,
): Promise<MailedLink | undefined> {
  return (await database.run(takeLink, [hashOf(token), purpose]))[0]
}

/** Ends the other links by which somebody could sign up with this address. */
export async function dropSignUpLinks(database: Runner, email: string): Promise<void> {
  await database.run(dropSignUps, [email])
}

/** Ends every link that was mailed about an account before its address or password changed. */
export async function dropMailedLinks(database: Runner, userId: Id): Promise<void> {
  await database.run(dropLinksOf, [userId])
}

import type { Config } from "../config/config.js"
import type { Rows, Transacted } from "../context.js"
import type { DatabaseClient } from "../database/client.js"
import { Forbidden, InvalidFields, NotFound, type Violations } from "../errors.js"
import { insertMembership, patchMembership } from "../resources/membership/membership.statements.js"
import { createUser, type NewUser } from "../resources/user/user.commands.js"
import { hashOf, newSecret } from "../signing/secret.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { lockUser } from "./account.statements.js"
import { recordAct } from "./administrative-acts.js"
import { countFailure } from "./attempts.js"
import { canInviteTo, countOpenLinks, dropLink, takeUse } from "./invitation-link.rows.js"
import { goodInvitation } from "./invitation-link.statements.js"

const OPEN_LINKS_OF_USER = 20
const NEW_LINKS_OF_USER = 60
export const MAX_USES = 100
export const MAX_DAYS = 30
const DAY_MS = 86_400_000

/** How many may use a new link (1 where `email` is set), for how many days, and which list it opens; without one, an account only. */
export type NewInvitationLink = {
  /** In lower case; then it is for this address alone, and once. */
  readonly email: string | undefined
  readonly listId: Id | undefined
  readonly uses: number
  readonly days: number
}

/** Who makes or ends a link on the pages. */
export type Inviter = { readonly id: Id; readonly email: string; readonly isAdministrator: boolean }

/** Where a link leads. */
export const addressOfInvitation = (publicUrl: string, token: string): string =>
  `${publicUrl}/sign-up?invitation=${token}`

/** Whether a link is good; for an address, if that is known by now. */
export async function isInvitation(
  { database, signUp }: Pick<AccountParts, "database" | "signUp">,
  invitation: Uint8Array | undefined,
  email?: string,
): Promise<boolean> {
  return invitation !== undefined && (await database.run(goodInvitation, [invitation, signUp, email])).length > 0
}

const isWithin = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most

/** In the log of administrative acts. */
export const linkInWords = (id: Id, { email, listId, uses }: NewInvitationLink): string =>
  [`invitation link ${id}`, email ?? `${uses} uses`, listId && `list ${listId}`].filter(Boolean).join(", ")

/** Makes a link of a user, or of an operator. Gives its token, which is stored nowhere. @throws InvalidFields */
export async function insertLink(
  inside: Rows,
  makerId: Id | undefined,
  link: NewInvitationLink,
  now: Date,
): Promise<{ id: Id; token: string }> {
  const { email, listId, uses, days } = link
  const violations: Violations = {}
  if (!isWithin(uses, MAX_USES)) violations.uses = [`must be a whole number from 1 to ${MAX_USES}`]
  else if (email !== undefined && uses > 1) violations.uses = ["must be 1 where an address is given"]
  if (!isWithin(days, MAX_DAYS)) violations.days = [`must be a whole number from 1 to ${MAX_DAYS}`]
  if (Object.keys(violations).length > 0) throw new InvalidFields(violations)
  const token = newSecret()
  if (listId !== undefined && !(await canInviteTo(inside, listId, makerId)))
    throw new InvalidFields({ listId: ["must be a list that can be shared"] })
  const { id } = await inside.prisma.invitationLink.create({
    data: {
      tokenHash: hashOf(token),
      makerId: makerId === undefined ? null : BigInt(makerId),
      email: email ?? null,
      listId: listId === undefined ? null : BigInt(listId),
      uses,
      expiresAt: new Date(now.getTime() + days * DAY_MS),
    },
  })
  return { id: id.toString(), token }
}

/** Whether a user may invite people. Where sign-up is closed, administrators may. */
export const mayInvitePeople = (signUp: Config["signUp"], { isAdministrator }: Pick<Inviter, "isAdministrator">) =>
  signUp !== "closed" || isAdministrator

/** Makes a link on the pages. What an administrator does is written down. Gives where it leads.
 *  @throws Forbidden, InvalidFields, RateLimited */
export async function createInvitationLink(
  { database, signUp, publicUrl }: AccountParts,
  inviter: Inviter,
  link: NewInvitationLink,
  now: Date,
): Promise<string> {
  if (!mayInvitePeople(signUp, inviter)) throw new Forbidden("Sign-up is closed: only administrators invite people.")
  await countFailure(database, ["invitation links of", inviter.id], NEW_LINKS_OF_USER)
  const { token } = await database.transaction(async (inside) => {
    // Those of one maker wait for each other, so that nobody slips through together with another.
    await inside.run(lockUser, [inviter.id])
    if ((await countOpenLinks(inside, inviter.id, now)) >= OPEN_LINKS_OF_USER)
      throw new InvalidFields({
        uses: [`cannot be given: you have ${OPEN_LINKS_OF_USER} open links; revoke one first`],
      })
    const made = await insertLink(inside, inviter.id, link, now)
    if (inviter.isAdministrator) await recordAct(inside, inviter.email, "invite", linkInWords(made.id, link))
    return made
  })
  return addressOfInvitation(publicUrl(), token)
}

/** Ends a link of one's own, or as an administrator anybody's. @throws NotFound */
export async function revokeInvitationLink(database: DatabaseClient, inviter: Inviter, id: Id): Promise<void> {
  await database.transaction(async (inside) => {
    if (!(await dropLink(inside, id, inviter.isAdministrator ? undefined : inviter.id))) throw new NotFound()
    if (inviter.isAdministrator) await recordAct(inside, inviter.email, "revoke invitation", `invitation link ${id}`)
  })
}

/**
 * Makes the account of somebody whose address is proved, in a transaction. An invitation is used up once for it, and the list
 * that it names is joined as by any other invitation that is accepted.
 * @throws NotFound when the invitation is not good any more, InvalidFields when the address has an account
 */
export async function createAccount(
  inside: Transacted,
  signUp: Config["signUp"],
  person: NewUser,
  invitation: Uint8Array | undefined,
): Promise<Id> {
  if (invitation === undefined) return (await createUser(inside, person)).id
  const [taken] = await inside.run(goodInvitation, [invitation, signUp, person.email])
  if (taken === undefined || !(await takeUse(inside, taken))) throw new NotFound()
  const { id } = await createUser(inside, person)
  const { listId, inviterId } = taken
  if (listId === undefined || inviterId === undefined) return id
  const request = "invitation-link"
  const [asked] = await inside.run(insertMembership, [listId, inviterId, request, id, null, false])
  if (asked === undefined) throw new NotFound()
  await inside.run(patchMembership, [asked.id, id, asked.revision, request, true, null])
  return id
}

import type { DatabaseClient } from "../database/client.js"
import { InvalidFields, NotFound, RateLimited } from "../errors.js"
import { hashOf } from "../signing/secret.js"
import type { Id } from "../statement.js"
import type { AccountParts } from "./account.parts.js"
import { type Attempt, beginAttempt, forgetFailures } from "./attempts.js"
import { proveAgain } from "./credentials.js"
import { type FactorNews, secondFactorMail } from "./mails.js"
import { isRecoveryCode, newFactorSecret, newRecoveryCodes, plainCode, stepOfCode } from "./one-time-code.js"
import {
  confirmSecret,
  dropSecondFactor,
  halfSignInOf,
  keepHalfSignIn,
  keepSecret,
  replaceRecoveryHashes,
  secondFactorOf,
  takeHalfSignIn,
  takeRecoveryCode,
  takeStep,
  waitingSecretOf,
} from "./second-factor.rows.js"

const FAILURES_OF_NETWORK = 100
/** So many wrong codes a day, whatever was right between them: otherwise who has the password hits on a code in the end. */
const FAILURES_OF_DAY = 50
const DAY_SECONDS = 86_400
/** The owner is told of so many, once a day. */
const FAILURES_TOLD = 5
const ofUser = (userId: Id) => ["codes of", userId]
const ofUserInDay = (userId: Id) => ["codes of a day", userId]
const WRONG_CODE = { code: ["is wrong, or was used before"] }

/** 429: too many wrong codes of the application. Recovery codes are taken. */
export class TooManyCodes extends RateLimited {}

type Rows = Pick<DatabaseClient, "prisma">
type User = { readonly id: Id; readonly email: string }

const hasSecondFactor = async (database: Rows, userId: Id): Promise<boolean> =>
  (await secondFactorOf(database, userId)) !== undefined

/**
 * Uses up a code of the user's application, or a recovery code. Failures with what is no recovery code are counted for the user, over
 * all networks, before the code is looked at. Nobody guesses a recovery code: they let the owner in while others guess. The owner is told by mail of
 * a recovery code that was used, and of wrong codes.
 * @throws InvalidFields, TooManyCodes
 */
async function takeCode(parts: AccountParts, userId: Id, typed: string, now: Date): Promise<void> {
  const { database } = parts
  const code = plainCode(typed)
  if (isRecoveryCode(code)) {
    const left = await takeRecoveryCode(database, userId, hashOf(code))
    if (left === undefined) throw new InvalidFields(WRONG_CODE)
    return tell(parts, userId, { recoveryCodesLeft: left })
  }
  const [attempt, ofDay] = await beginGuess(database, userId)
  if (await isGoodNow(database, userId, code, now))
    return void (await Promise.all([attempt.succeed(), ofDay.takeBack()]))
  if (ofDay.count === FAILURES_TOLD) tell(parts, userId, { wrongCodes: FAILURES_TOLD })
  refuse(attempt, ofDay)
}

/** @throws TooManyCodes */
async function beginGuess(database: DatabaseClient, userId: Id): Promise<[Attempt, Attempt]> {
  try {
    const attempt = await beginAttempt(database, ofUser(userId))
    return [attempt, await beginAttempt(database, ofUserInDay(userId), FAILURES_OF_DAY, DAY_SECONDS)]
  } catch (error) {
    throw tooManyCodes(error)
  }
}

const tooManyCodes = (error: unknown) =>
  error instanceof RateLimited ? new TooManyCodes(error.retryAfterSeconds) : error

/** A code is good once, and no code is after a later one: who has looked over a shoulder is too late. */
async function isGoodNow(database: Rows, userId: Id, code: string, now: Date): Promise<boolean> {
  const factor = await secondFactorOf(database, userId)
  const step = factor && stepOfCode(factor.secret, code, now)
  return step !== undefined && takeStep(database, userId, step)
}

function refuse(...attempts: readonly Attempt[]): never {
  try {
    for (const attempt of attempts) attempt.fail()
  } catch (error) {
    throw tooManyCodes(error)
  }
  throw new InvalidFields(WRONG_CODE)
}

/** What was guessed so far is worth nothing: the secret that it was for is in force no more. */
export async function forgetWrongCodes(database: Rows, userId: Id): Promise<void> {
  await forgetFailures(database, ofUser(userId))
  await forgetFailures(database, ofUserInDay(userId))
}

/** After a right password: the second factor of a user who has one. @throws InvalidFields, RateLimited */
export async function proveSecondFactor(parts: AccountParts, userId: Id, typed: string, now: Date): Promise<void> {
  if (await hasSecondFactor(parts.database, userId)) await takeCode(parts, userId, typed, now)
}

/** What somebody enters again before something that their password guards. */
export type Proof = { readonly password: string; readonly code: string; readonly now: Date }

/** Whether it is the user: by the password, and by a code where the second factor is on. @throws InvalidFields, RateLimited, Unavailable */
export async function proveOwner(parts: AccountParts, userId: Id, { password, code, now }: Proof): Promise<void> {
  await proveAgain(parts.database, userId, password)
  await proveSecondFactor(parts, userId, code, now)
}

/** After a right password: whether the browser, by its cookie, is to show a second factor too, and has ten minutes for it. */
export async function awaitSecondFactor(database: Rows, userId: Id, browser: string, now: Date): Promise<boolean> {
  if (!(await hasSecondFactor(database, userId))) return false
  await keepHalfSignIn(database, hashOf(browser), userId, now)
  return true
}

/** Whether a browser is to show its second factor. */
export const isHalfSignedIn = async (database: Rows, browser: string, now: Date): Promise<boolean> =>
  (await halfSignInOf(database, hashOf(browser), now)) !== undefined

/** Whose code a browser shows whose password was right. @throws NotFound when that is too long ago, InvalidFields, RateLimited */
export async function finishSignIn(
  parts: AccountParts,
  browser: string,
  { code, network, now }: { code: string; network: string; now: Date },
): Promise<Id> {
  const { database } = parts
  const ofNetwork = await beginAttempt(database, ["codes", network], FAILURES_OF_NETWORK)
  const userId = await halfSignInOf(database, hashOf(browser), now)
  if (userId === undefined) {
    ofNetwork.fail()
    throw new NotFound()
  }
  await proveSecondFactor(parts, userId, code, now).catch((error: unknown) => {
    ofNetwork.fail()
    throw error
  })
  await ofNetwork.takeBack()
  if (!(await takeHalfSignIn(database, hashOf(browser), userId, now))) throw new NotFound()
  return userId
}

/** A new secret for a user's application, in force with its first code. @throws InvalidFields, RateLimited; NotFound when there is one */
export async function beginSecondFactor(
  { database }: AccountParts,
  user: User,
  password: string,
  now: Date,
): Promise<Buffer<ArrayBuffer>> {
  await proveAgain(database, user.id, password)
  const secret = newFactorSecret()
  if (!(await keepSecret(database, user.id, secret, now))) throw new NotFound()
  return secret
}

/** The secret that waits for its first code. @throws NotFound when there is none, or it has waited for too long */
export async function waitingSecret({ database }: AccountParts, userId: Id, now: Date): Promise<Buffer<ArrayBuffer>> {
  const secret = await waitingSecretOf(database, userId, now)
  if (secret === undefined) throw new NotFound()
  return secret
}

/** Puts the secret in force. Gives the recovery codes, which nobody can have again. @throws NotFound, InvalidFields, RateLimited */
export async function confirmSecondFactor(parts: AccountParts, user: User, typed: string, now: Date) {
  const { database } = parts
  const secret = await waitingSecret(parts, user.id, now)
  const attempt = await beginAttempt(database, ofUser(user.id))
  const step = stepOfCode(secret, plainCode(typed), now)
  if (step === undefined) return refuse(attempt)
  const codes = await database.transaction(async (inside) => {
    if (!(await confirmSecret(inside, user.id, { secret, step, now }))) throw new NotFound()
    await forgetWrongCodes(inside, user.id)
    return replaceRecoveryCodes(inside, user.id)
  })
  tell(parts, user.id, "on")
  return codes
}

/** New recovery codes, for a password and a code; the old ones are worth nothing from then on. @throws InvalidFields, RateLimited, NotFound */
export async function renewRecoveryCodes(parts: AccountParts, user: User, proof: Proof): Promise<string[]> {
  await proveBoth(parts, user, proof)
  return parts.database.transaction((inside) => replaceRecoveryCodes(inside, user.id))
}

/** Turns it off, for a password and a code. @throws InvalidFields, RateLimited, NotFound when it is off */
export async function endSecondFactor(parts: AccountParts, user: User, proof: Proof): Promise<void> {
  await proveBoth(parts, user, proof)
  await dropSecondFactor(parts.database, user.id)
  tell(parts, user.id, "off")
}

async function proveBoth(parts: AccountParts, user: User, proof: Proof): Promise<void> {
  if (!(await hasSecondFactor(parts.database, user.id))) throw new NotFound()
  await proveOwner(parts, user.id, proof)
}

async function replaceRecoveryCodes(inside: Rows, userId: Id): Promise<string[]> {
  const codes = newRecoveryCodes()
  await replaceRecoveryHashes(
    inside,
    userId,
    codes.map((code) => hashOf(plainCode(code))),
  )
  return codes
}

/** Tells the owner by mail: if it was somebody else, they have the password. */
function tell({ database, mailer, publicUrl }: AccountParts, userId: Id, news: FactorNews): void {
  void mailer.later(async () => {
    const user = await database.prisma.user.findUnique({ where: { id: BigInt(userId) } })
    return user === null ? undefined : secondFactorMail(user.email, publicUrl(), news)
  })
}

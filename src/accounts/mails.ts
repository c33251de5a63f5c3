import type { Mail } from "./mailer.js"

// A mail contains nothing that its requester has chosen: its recipient may not have asked for it.

const signed = (lines: readonly string[]): string => `${lines.join("\n\n")}\n\n-- \nTandem\n`

/** To an address that has no account yet. */
export const signUpMail = (to: string, link: string): Mail => ({
  to,
  subject: "Finish signing up",
  text: signed([
    "Someone, probably you, wants to sign up for Tandem with this address.",
    `Open this page within an hour to choose your name and password:\n${link}`,
    "If it wasn't you, ignore this email: no account is created until the page is completed.",
  ]),
})

/** To an address that has an account, when someone signs up with it. */
export const alreadySignedUpMail = (to: string, origin: string): Mail => ({
  to,
  subject: "You already have an account",
  text: signed([
    "Someone, probably you, tried to sign up for Tandem with this address, which already has an account.",
    `Sign in:\n${origin}/sign-in`,
    `If you have forgotten your password, choose a new one:\n${origin}/reset-password`,
    "If it wasn't you, ignore this email: nothing has changed.",
  ]),
})

/** To the address of somebody who is invited to a list. The inviter's address was proved; a name or a title may say anything. */
export const invitationMail = (to: string, from: string, origin: string, unsubscribeUrl: string): Mail => ({
  to,
  unsubscribeUrl,
  subject: "You are invited to a list",
  text: signed([
    `${from} invites you to a list on Tandem.`,
    `Sign in with this address to accept or decline:\n${origin}/sign-in`,
    `If you have no account yet, sign up with this address:\n${origin}/sign-up`,
    "If you don't know the sender, ignore this email: nobody is told whether you have an account.",
    `To get no more mails about this list:\n${unsubscribeUrl}`,
  ]),
})

/** To an address that has no account yet, of somebody who has signed in at the OpenID provider. */
export const confirmIdentityMail = (to: string, link: string): Mail => ({
  to,
  subject: "Confirm your address",
  text: signed([
    "Someone, probably you, has signed in to Tandem with this address, which has no account yet.",
    `Open this page within an hour, in the browser where you signed in, to create one:\n${link}`,
    "If it wasn't you, ignore this email: no account is created.",
  ]),
})

/** To a user whose account can be opened with an OpenID provider from now on. */
export const identityLinkedMail = (to: string, origin: string, provider: string): Mail => ({
  to,
  subject: "There is another way to sign in to your account",
  text: signed([
    `Someone, probably you, has just signed in to your Tandem account with ${provider}, and can do so from now on.`,
    `If it wasn't you, choose a new password, which unlinks the two and signs out all browsers:\n${origin}/reset-password`,
    `Where that page takes no passwords, contact the operator of ${origin}.`,
  ]),
})

/** To a user who has forgotten their password. */
export const resetMail = (to: string, link: string): Mail => ({
  to,
  subject: "Choose a new password",
  text: signed([
    "Someone, probably you, has requested a new password for your Tandem account.",
    `Open this page within an hour to choose one:\n${link}`,
    "If it wasn't you, ignore this email: your password stays the same.",
  ]),
})

/** To the new address of an account, before it is verified. */
export const changeEmailMail = (to: string, link: string): Mail => ({
  to,
  subject: "Confirm your new address",
  text: signed([
    "Someone, probably you, wants to use this address for a Tandem account.",
    `Open this page within an hour, in a browser where you are signed in, to confirm it:\n${link}`,
    "If it wasn't you, ignore this email: the address is not used.",
  ]),
})

/** To the previous address of an account. */
export const emailChangedMail = (to: string, origin: string): Mail => ({
  to,
  subject: "Your email address has changed",
  text: signed([
    "Your Tandem account now has another email address. You can no longer sign in with this one.",
    `If it wasn't you, contact the operator of ${origin}.`,
  ]),
})

/** To a user whose password has changed. */
export const passwordChangedMail = (to: string, origin: string): Mail => ({
  to,
  subject: "Your password has changed",
  text: signed([
    "The password of your Tandem account has just been changed, and all other browsers have been signed out.",
    `If it wasn't you, choose a new password at once:\n${origin}/reset-password`,
  ]),
})

/** What has happened to a second factor. */
export type FactorNews = "on" | "off" | { readonly recoveryCodesLeft: number } | { readonly wrongCodes: number }

function newsOfFactor(news: FactorNews, origin: string): { subject: string; line: string } {
  if (news === "on")
    return {
      subject: "Your second factor is on",
      line: "Signing in to your Tandem account with your password asks for a code from now on.",
    }
  if (news === "off")
    return {
      subject: "Your second factor is off",
      line: "Signing in to your Tandem account asks for your password alone from now on.",
    }
  if ("wrongCodes" in news)
    return {
      subject: "Wrong codes were entered for your account",
      line: `Someone has entered your password and then ${news.wrongCodes} wrong codes within a day. After 50, none but your recovery codes is taken until the day is over.`,
    }
  return {
    subject: "A recovery code was used",
    line: `One of your recovery codes has just been used for your Tandem account; ${news.recoveryCodesLeft} are left. New ones are made here:\n${origin}/account/second-factor`,
  }
}

/** To a user whose second factor was turned on or off, who signed in with a recovery code, or for whom codes are guessed. */
export function secondFactorMail(to: string, origin: string, news: FactorNews): Mail {
  const { subject, line } = newsOfFactor(news, origin)
  const otherwise = `If it wasn't you, somebody knows your password. Choose a new one at once:\n${origin}/reset-password`
  return { to, subject, text: signed([line, otherwise]) }
}

/** To the creator of a webhook that does not answer. */
export const webhookDisabledMail = (to: string, origin: string, url: string): Mail => ({
  to,
  subject: "Your webhook has been disabled",
  text: signed([
    `Your webhook did not accept Tandem's deliveries and has been disabled:\n${url}`,
    `See its responses and, once it works again, send a test. A test that succeeds enables it:\n${origin}/webhooks`,
  ]),
})

/** To the address of an account that has been deleted by its user. */
export const accountDeletedMail = (to: string, origin: string): Mail => ({
  to,
  subject: "Your account has been deleted",
  text: signed([
    "Your Tandem account has just been deleted on your request, with all its lists and files.",
    `If it wasn't you, contact the operator of ${origin}.`,
  ]),
})

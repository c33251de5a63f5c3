import type { Mail } from "./mailer.js"

// A mail says nothing that whoever asked for it has chosen: it may go to somebody who knows nothing of it.

const signed = (lines: readonly string[]): string => `${lines.join("\n\n")}\n\n-- \nTandem\n`

/** To an address that has no account yet. */
export const signUpMail = (to: string, link: string): Mail => ({
  to,
  subject: "Finish signing up",
  text: signed([
    "Somebody, probably you, wants to sign up for Tandem with this address.",
    `Open this page within an hour to choose your name and password:\n${link}`,
    "If it was not you, do nothing: without this page there is no account.",
  ]),
})

/** To an address that has an account, when somebody signs up with it. */
export const alreadySignedUpMail = (to: string, origin: string): Mail => ({
  to,
  subject: "You have an account already",
  text: signed([
    "Somebody, probably you, wanted to sign up for Tandem with this address. It has an account already.",
    `Sign in:\n${origin}/sign-in`,
    `Choose a new password, if you have forgotten yours:\n${origin}/reset-password`,
    "If it was not you, do nothing: nothing has changed.",
  ]),
})

/** To who has forgotten his password. */
export const resetMail = (to: string, link: string): Mail => ({
  to,
  subject: "Choose a new password",
  text: signed([
    "Somebody, probably you, has asked for a new password for your Tandem account.",
    `Open this page within an hour to choose one:\n${link}`,
    "If it was not you, do nothing: your password stays as it is.",
  ]),
})

/** To an address that is to become an account's. */
export const changeEmailMail = (to: string, link: string): Mail => ({
  to,
  subject: "Confirm your new address",
  text: signed([
    "Somebody, probably you, wants to use this address for a Tandem account.",
    `Open this page within an hour, in a browser where you are signed in, to confirm it:\n${link}`,
    "If it was not you, do nothing: the address is not used.",
  ]),
})

/** To the address that an account had until now. */
export const emailChangedMail = (to: string, origin: string): Mail => ({
  to,
  subject: "The address of your account has changed",
  text: signed([
    "Your Tandem account has another address from now on; this one opens it no more.",
    `If it was not you, write to whoever runs ${origin}.`,
  ]),
})

/** To who has a new password. */
export const passwordChangedMail = (to: string, origin: string): Mail => ({
  to,
  subject: "Your password has changed",
  text: signed([
    "The password of your Tandem account has just been changed, and every other browser was signed out.",
    `If it was not you, choose a new one at once:\n${origin}/reset-password`,
  ]),
})

/** To who made a webhook that does not answer. */
export const webhookDisabledMail = (to: string, origin: string, url: string): Mail => ({
  to,
  subject: "Your webhook was switched off",
  text: signed([
    `Your webhook did not take what Tandem sent, so nothing is sent to it any more:\n${url}`,
    `Look at what it answered, and send it a test when it works again; a test that is taken switches it on:\n${origin}/webhooks`,
  ]),
})

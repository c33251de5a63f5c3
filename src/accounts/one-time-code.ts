import { randomInt } from "node:crypto"
import { Secret, TOTP } from "otpauth"

const STEP_SECONDS = 30
/** How many steps the clock of a phone may be off, either way. */
const MAX_STEPS_OFF = 1
const SECRET_BYTES = 20

const RECOVERY_CODES = 10
const RECOVERY_CODE_SIGNS = 16
/** Without what looks alike. 16 of these 32 are 80 bits: nobody finds a code by its hash, or by guessing. */
const SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"

// Applications that ignore these parameters have the same ones anyway.
const codesOf = (secret: Buffer, label = "") =>
  new TOTP({
    issuer: "Tandem",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: STEP_SECONDS,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  })

/** A new secret, which the service and an application share. */
export const newFactorSecret = (): Buffer<ArrayBuffer> => Buffer.from(new Secret({ size: SECRET_BYTES }).bytes)

/** The secret as people type it, and as an address that applications open. (RFC 6238, and the `otpauth` address that they share) */
export function shownSecret(secret: Buffer, email: string): { text: string; address: string } {
  const codes = codesOf(secret, email)
  return { text: (codes.secret.base32.match(/.{1,4}/g) ?? []).join(" "), address: codes.toString() }
}

/** What people type of a code, without what they put in between. */
export const plainCode = (typed: string): string => typed.replace(/[\s-]/g, "").toUpperCase()

/** Whether it is written as recovery codes are: good or not, it is no guess at six digits. */
export const isRecoveryCode = (code: string): boolean =>
  code.length === RECOVERY_CODE_SIGNS && [...code].every((sign) => SIGNS.includes(sign))

/** The step of time whose code it is, of those around `now`; undefined when it is none of theirs. */
export function stepOfCode(secret: Buffer, code: string, now: Date): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const timestamp = now.getTime()
  const off = codesOf(secret).validate({ token: code, timestamp, window: MAX_STEPS_OFF })
  return off === null ? undefined : Math.floor(timestamp / 1_000 / STEP_SECONDS) + off
}

/** New codes for when the phone is lost, as they are shown. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => SIGNS[randomInt(SIGNS.length)]).join("")).join("-"),
  )

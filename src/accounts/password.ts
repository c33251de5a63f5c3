import { availableParallelism } from "node:os"
import { hash, verify } from "@node-rs/argon2"
import { InvalidFields, Unavailable } from "../errors.js"

const SHORTEST = 10
const LONGEST = 500

// argon2id with 19 MiB and two passes, as OWASP advises.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// Verified where there is no hash, at the same cost, so that time does not tell which addresses have an account.
const NOBODYS = "$argon2id$v=19$m=19456,t=2,p=1$dGFuZGVtLW5vYm9keXMtc2FsdA$Zm9yIG5vYm9keSwgYXMgbG9uZyBhcyBhIHJlYWwgb24"

/** Among the passwords that are tried first, those that are long enough to be chosen here. */
const TRIED_FIRST = new Set(
  `1234567890 0123456789 1234567891 12345678910 123456789a 9876543210 1111111111 0000000000 1q2w3e4r5t 1qaz2wsx3edc
  qwertyuiop qwerty1234 qwerty12345 qwerty123456 asdfghjkl; password12 password123 password1234 passw0rd123 iloveyou123
  letmein123 welcome123 administrator changeme123 abcdefghij abcd123456 abc1234567 football123 unbelievable`.split(
    /\s+/,
  ),
)

// What looks the same on two keyboards is the same password.
const normal = (password: string): string => password.normalize("NFKC")

/** What is wrong with a password that somebody chooses; undefined when nothing is. Its kinds of characters do not matter. */
function violationOfPassword(password: string, email: string): string | undefined {
  const length = [...normal(password)].length
  if (length < SHORTEST || length > LONGEST) return `must have ${SHORTEST} to ${LONGEST} characters`
  const plain = normal(password).toLowerCase()
  if (plain === email || plain === email.split("@")[0]) return "must not be your email address"
  if (TRIED_FIRST.has(plain) || /^(.)\1*$/u.test(plain)) return "is among those that are tried first: choose another"
  return undefined
}

// Hashing takes the threads of this process that read files and look up names, and its cores. So it is done by few at a time,
// and nobody waits for long: a thousand who sign in at once stop neither downloads nor answers.
const AT_ONCE = Math.max(1, Math.min(2, availableParallelism() >> 1))
/** Some 20 ms each. */
const MAX_WAITING = 50
const waiting: (() => void)[] = []
let running = 0

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running < AT_ONCE) running++
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve))
  else throw new Unavailable("Too many people are signing in at the moment. Please try again shortly.")
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

/**
 * What is stored of a password that somebody chooses, wherever that is: 10 to 500 characters, not the address, not one that is
 * tried first.
 * @throws InvalidFields naming `field`, Unavailable when too many wait
 */
export async function hashChosen(password: string, email: string, field = "password"): Promise<string> {
  refuseUnfit(password, email, field)
  return hashPassword(password)
}

/** The rules alone, before something that is used up, such as a code. @throws InvalidFields naming `field` */
export function refuseUnfit(password: string, email: string, field: string): void {
  const violation = violationOfPassword(password, email)
  if (violation !== undefined) throw new InvalidFields({ [field]: [violation] })
}

/** What is stored of a password; it says itself how it was made. Takes some 20 ms. @throws Unavailable when too many wait */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(normal(password), COST))

/** Whether it is the password whose hash is stored; takes as long when there is none. @throws Unavailable when too many wait */
export async function isPassword(password: string, storedHash: string | null | undefined): Promise<boolean> {
  const isRight = await inTurn(() => verify(storedHash ?? NOBODYS, normal(password)).catch(() => false))
  return isRight && storedHash != null
}

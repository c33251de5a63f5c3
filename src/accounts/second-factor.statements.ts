import { type Id, instantOf, statement } from "../statement.js"

/** How long a secret waits for its first code, and a sign-in for its second factor. */
const MINUTES = 10

/** What the account page shows of a user's second factor, $1 the user; no row when it is off. */
export const secondFactorOf = statement(
  "second_factor_of_user",
  `select confirmed_at, (select count(*) from recovery_codes c where c.user_id = f.user_id)
   from second_factors f where user_id = $1::bigint and confirmed_at is not null`,
  ([since, codesLeft]) => ({ since: instantOf(since as string), codesLeft: Number(codesLeft) }),
)

const bytes = (text: string | null | undefined): Buffer => Buffer.from(text?.slice(2) ?? "", "hex")

/** The secret of a second factor that is on: $1 the user. */
export const secretOfUser = statement(
  "secret_of_second_factor",
  "select secret from second_factors where user_id = $1::bigint and confirmed_at is not null",
  ([secret]) => bytes(secret),
)

/** The secret that waits for its first code: $1 the user. */
export const waitingSecretOf = statement(
  "waiting_secret_of_user",
  `select secret from second_factors where user_id = $1::bigint and confirmed_at is null and created_at > now() - interval '${MINUTES} minutes'`,
  ([secret]) => bytes(secret),
)

/** Keeps a secret, $2, of a user, $1, that is not in force yet. No row when the user has a second factor. */
export const keepSecret = statement(
  "keep_secret_of_second_factor",
  `insert into second_factors as f (user_id, secret) values ($1::bigint, $2)
   on conflict (user_id) do update set secret = excluded.secret, created_at = now() where f.confirmed_at is null returning 1`,
  () => true,
)

/** Puts a secret, $2, of a user, $1, in force; its code of the step $3 is used up. No row when another one came first. */
export const confirmSecret = statement(
  "confirm_second_factor",
  `update second_factors set confirmed_at = now(), last_step = $3::bigint
   where user_id = $1::bigint and secret = $2 and confirmed_at is null returning 1`,
  () => true,
)

/** Uses up the code of a step, $2, of a user, $1: no row when it, or a later one, was used before. */
export const takeStep = statement(
  "use_step_of_second_factor",
  `update second_factors set last_step = $2::bigint
   where user_id = $1::bigint and confirmed_at is not null and last_step < $2::bigint returning 1`,
  () => true,
)

/** Uses up a recovery code of a user, $1: $2 its hash. Gives how many are left. */
export const takeRecoveryCode = statement(
  "use_recovery_code",
  `with used as (delete from recovery_codes where user_id = $1::bigint and code_hash = $2 returning 1)
   select (select count(*) from recovery_codes where user_id = $1::bigint) - 1 from used`,
  ([left]) => Number(left),
)

/** Makes the old recovery codes of a user, $1, worth nothing. */
export const dropRecoveryCodes = statement(
  "drop_recovery_codes",
  "delete from recovery_codes where user_id = $1::bigint",
  () => true,
)

/** Keeps the hashes, $2, of a user's recovery codes, $1 the user. */
export const insertRecoveryCodes = statement(
  "insert_recovery_codes",
  "insert into recovery_codes (user_id, code_hash) select $1::bigint, decode(hash, 'hex') from unnest($2::text[]) hash",
  () => true,
)

/** Turns a user's second factor off, $1 the user, with its codes. */
export const dropSecondFactor = statement(
  "drop_second_factor",
  "delete from second_factors where user_id = $1::bigint and confirmed_at is not null returning 1",
  () => true,
)

/** Keeps that the password was right: $1 the hash of the browser's cookie, $2 the user. */
export const insertHalfSignIn = statement(
  "insert_half_sign_in",
  `insert into half_sign_ins (browser_hash, user_id, expires_at) values ($1, $2::bigint, now() + interval '${MINUTES} minutes')
   on conflict (browser_hash) do update set user_id = excluded.user_id, expires_at = excluded.expires_at`,
  () => true,
)

const OPEN =
  "browser_hash = $1 and expires_at > now() and not exists (select from disabled_users d where d.user_id = half_sign_ins.user_id)"

/** Whose password was right in a browser, $1 the hash of its cookie. */
export const halfSignIn = statement(
  "half_sign_in",
  `select user_id from half_sign_ins where ${OPEN}`,
  ([userId]) => userId as Id,
)

/** The same, for one of any number of requests. */
export const takeHalfSignIn = statement(
  "take_half_sign_in",
  `delete from half_sign_ins where ${OPEN} returning user_id`,
  ([userId]) => userId as Id,
)

/** Lets nobody go on whose password was right before: $1 the user. */
export const dropHalfSignIns = statement(
  "drop_half_sign_ins",
  "delete from half_sign_ins where user_id = $1::bigint",
  () => true,
)

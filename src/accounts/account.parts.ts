import type { Config } from "../config/config.js"
import type { DatabaseClient } from "../database/client.js"
import type { Id } from "../statement.js"
import type { IdentityProvider } from "./identity-provider.js"
import type { Mailer } from "./mailer.js"

/** What accounts need of the node. */
export type AccountParts = {
  readonly database: DatabaseClient
  readonly mailer: Mailer
  /** Where clients reach the service, without a slash at the end: never what a request says of itself. */
  publicUrl(): string
  /** Which people can sign up on the pages. */
  readonly signUp: Config["signUp"]
  /** The OpenID provider with which people sign in, if there is one. */
  readonly identityProvider: IdentityProvider | undefined
  /** Whether people sign in and sign up with passwords. */
  readonly passwordSignIn: boolean
  /** Told of tokens that have just ended. */
  tokensEnded(ids: readonly Id[]): void
}

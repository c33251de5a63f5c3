import type { Context } from "../context.js"
import { Forbidden } from "../errors.js"
import { type Id, statement } from "../statement.js"

/** Whether a token, $1, is a personal one, which no application got by consent. */
const isMadeByHand = statement(
  "is_token_made_by_hand",
  "select 1 from access_tokens where id = $1::bigint and consent_id is null and session_id is null and revoked_at is null",
  () => true,
)

/**
 * The user, when the token is a personal one: an application could otherwise create a token or a feed that outlives the
 * revocation of its access. `what` names the thing that only such a token may do.
 * @throws Forbidden
 */
export async function requirePersonalToken(
  { db, viewer }: Context,
  what = "manage applications and tokens",
): Promise<Id> {
  const [byHand] = await db.run(isMadeByHand, [viewer.tokenId])
  if (byHand === undefined) throw new Forbidden(`Only a personal access token can ${what}.`)
  return viewer.userId
}

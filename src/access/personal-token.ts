import type { Context } from "../context.js"
import { Forbidden } from "../errors.js"
import { type Id, statement } from "../statement.js"

/** Whether a token, $1, is one that its user made himself. */
const isMadeByHand = statement(
  "is_token_made_by_hand",
  "select 1 from access_tokens where id = $1::bigint and consent_id is null and session_id is null",
  () => true,
)

/**
 * The user, when the token is one that he made himself: an application that he has let in could otherwise make itself a token
 * or a feed that outlives his taking it back. `what` it is that only such a token may do.
 * @throws Forbidden
 */
export async function keeper({ db, viewer }: Context, what = "manages applications and tokens"): Promise<Id> {
  const [byHand] = await db.run(isMadeByHand, [viewer.tokenId])
  if (byHand === undefined) throw new Forbidden(`Only a personal access token ${what}.`)
  return viewer.userId
}

import { accepted } from "../access/access.js"
import type { Log } from "../log.js"
import { type Id, type Runner, statement } from "../statement.js"
import type { Access, Stream } from "./stream.js"

const EVERY_MS = 3_000
/** More pairs than this are asked for in several statements. */
const PAIRS_AT_ONCE = 5_000

const endedAccess = statement(
  "ended_access",
  `select p.n from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality p(user_id, list_id, state, n)
   where not exists (select from memberships m where m.list_id = p.list_id and m.user_id = p.user_id and (${accepted("m")} or p.state = 'pending'))`,
  ([place]) => Number(place) - 1,
)
const endedTokens = statement(
  "ended_tokens",
  `select t.id from unnest($1::bigint[], $2::text[]) t(id, scopes) where not exists (select from access_tokens a
     where a.id = t.id and a.revoked_at is null and a.scopes @> string_to_array(t.scopes, ' '))`,
  ([id]) => id as Id,
)

type Watched = {
  streams(): Iterable<Stream>
  /** Each with scopes that something open was admitted with. */
  tokens(): Iterable<readonly [id: Id, scopes: string]>
  endToken(tokenId: Id): void
}

/**
 * Asks the database every 3 s whether what open subscriptions rely on is still so. Events tell it at once; this holds when
 * a row went without one.
 */
export function startAccessWatch(
  db: Runner,
  log: Log,
  { streams, tokens, endToken }: Watched,
  everyMs = EVERY_MS,
): { stop(): Promise<void> } {
  let round: Promise<void> = Promise.resolve()

  async function check(): Promise<void> {
    const relied: { stream: Stream; access: Access }[] = []
    for (const stream of streams()) for (const access of stream.access()) relied.push({ stream, access })
    for (let from = 0; from < relied.length; from += PAIRS_AT_ONCE) {
      const part = relied.slice(from, from + PAIRS_AT_ONCE)
      const ended = await db.run(endedAccess, [
        part.map(({ stream }) => stream.viewer.userId),
        part.map(({ access }) => access.listId),
        part.map(({ access }) => access.state),
      ])
      for (const index of ended) part[index]?.stream.lose(part[index].access)
    }
    const held = [...tokens()]
    if (held.length === 0) return
    const values = [held.map(([id]) => id), held.map(([, scopes]) => scopes)]
    for (const id of await db.run(endedTokens, values)) endToken(id)
  }

  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    round = check()
      .catch((error) => log.debug({ err: error }, "access could not be checked"))
      .finally(() => {
        isBusy = false
      })
  }, everyMs)

  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}

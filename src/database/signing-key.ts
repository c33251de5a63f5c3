import { randomBytes } from "node:crypto"
import { type Runner, statement } from "../statement.js"

const KEY_BYTES = 32

// The row that another node makes in the same moment is seen by the second half only in the next statement.
const keepKey = statement(
  "keep_signing_key",
  `with made as (insert into signing_keys (name, value) values ($1, $2) on conflict (name) do nothing returning value)
   select encode(value, 'hex') from made union all select encode(value, 'hex') from signing_keys where name = $1 limit 1`,
  ([value]) => value as string,
)

/** A secret of 256 random bits in hex, the same for every node of the database; made when it is first asked for. */
export async function signingKey(database: Runner, name: string): Promise<string> {
  for (;;) {
    const [key] = await database.run(keepKey, [name, randomBytes(KEY_BYTES)])
    if (key !== undefined) return key
  }
}

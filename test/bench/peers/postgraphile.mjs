// PostGraphile 5 as its documents set it up (Amber preset, node:http), with one look-up of the token for each request. It does
// less than Tandem must: no membership, no revision window, no event. Copied to and run where it is installed (install.mjs).
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import pg from "pg"
import { postgraphile } from "postgraphile"
import { makePgService } from "postgraphile/adaptors/pg"
import { grafserv } from "postgraphile/grafserv/node"
import { PostGraphileAmberPreset } from "postgraphile/presets/amber"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
const TOKEN = "select user_id from access_tokens where token_hash = $1 and revoked_at is null"

async function viewerOf(headers) {
  const hash = createHash("sha256")
    .update(headers?.["x-access-token"] ?? "")
    .digest()
  const { rows } = await pool.query({ name: "token", text: TOKEN, values: [hash] })
  if (rows.length === 0) throw new Error("unauthorized")
  return rows[0].user_id
}

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ pool, schemas: ["public"] })],
  grafserv: { graphqlPath: "/graphql", watch: false },
  grafast: { explain: false, context: async ({ node }) => ({ userId: await viewerOf(node?.req?.headers) }) },
})
const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT), "127.0.0.1")
process.once("SIGTERM", () => process.exit(0))

import { type Runner, statement } from "../../src/statement.js"
import type { Person } from "../support/make.js"

/** Makes a webhook; gives its number and what verifies its deliveries. */
export async function makeHook(
  maker: Person,
  list: { id: number },
  url: string,
  configuration = "",
): Promise<{ id: number; secret: string }> {
  const input = { listId: list.id, url, processorType: "generic", configuration }
  const { data, errors } = await maker.graphql(
    "mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { id secret } }",
    { input },
  )
  if (errors) throw new Error(JSON.stringify(errors))
  return { id: Number(data.createWebhook.id), secret: data.createWebhook.secret }
}

const insert = statement(
  "test_insert_webhooks",
  `insert into webhooks (list_id, membership_id, url, processor_type, configuration, secret, created_by_id, updated_by_id)
   select list_id, id, $2, 'generic', '', 'whsec_' || encode(sha256('x'), 'base64'), user_id, user_id
   from memberships, generate_series(1, $3::int) where list_id = $1::bigint and owner returning id`,
  ([id]) => ({ id: Number(id) }),
)

/** Makes webhooks of the list's owner directly in the database: many at once, or of addresses that a transport refuses. */
export const insertHooks = (
  { database }: { database: Runner },
  list: { id: number },
  url: string,
  count = 1,
): Promise<{ id: number }[]> => database.run(insert, [list.id, url, count])

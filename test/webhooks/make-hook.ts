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

import { Field, InputType } from "type-graphql"
import { ID, ShortText, Text, WebhookUrl } from "../../scalars/scalars.js"
import type { Id } from "../../statement.js"

/** What a new webhook is made of. (§4 Webhooks, POST) */
@InputType({ description: "What a new webhook is made of." })
export class CreateWebhookInput {
  @Field(() => ID, { description: "The list; the viewer must be its member." })
  listId: Id

  @Field(() => WebhookUrl, { description: "Where changes are posted to: a host that is reachable from everywhere." })
  url: string

  @Field(() => ShortText, { description: "How changes are to be told, such as `generic`; all are told alike." })
  processorType: string

  @Field(() => Text, { description: "What is to stand in each delivery; may be empty." })
  configuration: string
}
